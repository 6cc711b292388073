import { expect, test } from "vitest";
import { isPushAddress } from "./is-push-address.js";

test.each([
  ["https://fcm.googleapis.com/fcm/send/x", true],
  ["https://updates.push.services.mozilla.com/wpush/v2/x", true],
  ["https://web.push.apple.com/x", true],
  ["https://wns2-by3p.notify.windows.com/w/?token=x", true],
  ["http://fcm.googleapis.com/fcm/send/x", false],
  ["https://fcm.googleapis.com:8443/x", false],
  ["https://fcm.googleapis.com.example.com/x", false],
  ["https://evilpush.apple.com.evil.example/x", false],
  ["https://notpush.apple.com/x", false],
  ["https://me:secret@web.push.apple.com/x", false],
  ["https://127.0.0.1/x", false],
  ["file:///etc/passwd", false],
  ["no address", false],
])("takes %s as an address of a browser's push service: %s", (address, isOne) => {
  expect(isPushAddress(address, [])).toBe(isOne);
});

test("takes hosts that the user has named, with their port", () => {
  expect(isPushAddress("http://127.0.0.1:9000/x", ["127.0.0.1:9000"])).toBe(true);
  expect(isPushAddress("http://127.0.0.1:9001/x", ["127.0.0.1:9000"])).toBe(false);
});
