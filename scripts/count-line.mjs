// The closing count line of a CI run. A test skipped because something was missing on this machine
// fails the run: CI installs what it needs, so such a skip would hide a test that never ran.
export default class CountLine {
  onTestRunEnd(modules) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const skipped = [];
    for (const module of modules) {
      // A file that could not be loaded has no tests to count, and is a failure all the same.
      if (!module.ok() && [...module.children.allTests("failed")].length === 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state in count) count[state] += 1;
        if (state === "skipped") skipped.push(test.fullName);
      }
    }
    console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    if (skipped.length === 0) return;
    console.log(
      `Skipped in CI, which counts as a failure:\n${skipped.map((name) => `  ${name}`).join("\n")}`,
    );
    process.exitCode = 1;
  }
}
