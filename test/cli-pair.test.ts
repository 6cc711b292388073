/** `toolgate pair`: a code for another device, the list of devices, and a revoked one. */
import { expect, test } from "vitest";
import { Devices } from "../src/serve/index.js";
import { atHome } from "./cli-kit.js";

test("shows a code that works once and as a QR code, lists the device that used it, and revokes it", async () => {
  const { runHere, run, settings } = await atHome();
  const shown = await run(["pair", "--url", "https://desk.example/", "--role", "watch"]);
  expect(shown.status).toBe(0);
  // The key is in the code's exchange, never in the link.
  const [, code = ""] = /^https:\/\/desk\.example\/login#([A-Z0-9-]{14})$/m.exec(shown.stdout) ?? [];
  expect(shown.stdout).toContain(`The code ${code} works once, for 5 minutes. The device may only watch.`);
  expect(shown.stdout).toMatch(/^█{20,}$/m);

  const devices = new Devices(settings);
  expect((await devices.redeem(code, "Phone"))?.device.role).toBe("watch");
  expect(await devices.redeem(code, "Phone")).toBeUndefined();
  const { stdout: list } = await runHere(["pair", "--list"]);
  const [, id = ""] = /^(\w{8}) +Phone +watch/m.exec(list) ?? [];
  expect(await runHere(["pair", "--revoke", "ffffffff"])).toMatchObject({ status: 1 });
  expect(await runHere(["pair", "--revoke", id])).toMatchObject({
    status: 0,
    stdout: "Phone is revoked.\n",
  });
  expect((await runHere(["pair", "--list"])).stdout).toContain("No device is paired.");
});

test("makes no code for an address that no browser can open, and names one that is not encrypted", async () => {
  const { runHere } = await atHome();
  for (const address of ["desk.example", "javascript:alert(1)", "https://ann:secret@desk.example"]) {
    const { status, stdout, stderr } = await runHere(["pair", "--url", address]);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("No code was made; give one like https://desk.example.");
  }
  const { stdout } = await runHere(["pair", "--url", "https://desk.example/gate/?a#b"]);
  expect(stdout).toMatch(/^https:\/\/desk\.example\/gate\/login#[A-Z0-9-]{14}$/m);
  const plain = await runHere(["pair", "--url", "http://192.168.1.5:4320"]);
  expect(plain.stderr).toContain("http://192.168.1.5:4320 is not encrypted");
  expect((await runHere(["pair", "--url", "http://127.0.0.1:4320"])).stderr).toContain("this computer only");
});

test("makes no code where no server was started, and says so", async () => {
  const { runHere } = await atHome();
  const { status, stderr } = await runHere(["pair"]);
  expect(status).toBe(1);
  expect(stderr).toContain("No code was made");
});
