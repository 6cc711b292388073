// Prints "ready" and waits until stdin ends, so that several processes begin at the same moment.
export async function startingSignal() {
  process.stdout.write("ready\n");
  await new Promise((resolve) => process.stdin.resume().once("end", resolve));
}
