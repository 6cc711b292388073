// A sample agent that does everything right, but for the requirement that BREAK names. DIALECT is 1 or 2.
if (process.env.DIALECT === "2") {
  const { serveV2 } = await import("./v2.mjs");
  serveV2();
} else {
  const { serveV1 } = await import("./v1.mjs");
  serveV1();
}
