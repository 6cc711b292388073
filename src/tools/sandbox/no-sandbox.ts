export class NoSandbox extends Error {
  readonly code = "NO_SANDBOX";

  /** `trouble`: why the sandbox does not hold, where bubblewrap is installed. */
  constructor(trouble?: string) {
    super(
      trouble === undefined
        ? "There is no sandbox: bubblewrap (bwrap) is not installed. Nothing was run. Install it, or continue without a sandbox."
        : `There is no sandbox: bubblewrap (bwrap) does not work here (${trouble}). Nothing was run. See whether this system permits user namespaces, or continue without a sandbox.`,
    );
    this.name = "NoSandbox";
  }
}
