/**
 * The trusted contents of project rules, in `trusted.json`. Both must match: the content, because files change; and the
 * folder, because anyone can copy a content that was trusted elsewhere. Only the last content counts, so an older one must
 * be trusted again.
 */
import { join } from "node:path";
import { z } from "zod";
import type { OpenDocument, StoredDocument } from "./stored-document.js";
import { storedFile } from "./stored-file.js";

const trustedFileSchema = () =>
  z.looseObject({
    version: z.literal(1),
    projects: z.array(z.looseObject({ projectRoot: z.string(), sha256: z.string(), trustedAt: z.number() })),
  });

export class TrustedProjects {
  readonly path: string;
  readonly #file: StoredDocument<z.infer<ReturnType<typeof trustedFileSchema>>>;

  constructor(folder: string, open: OpenDocument = storedFile) {
    this.#file = open(join(folder, "trusted.json"), {
      schema: trustedFileSchema,
      empty: { version: 1, projects: [] },
    });
    this.path = this.#file.path;
  }

  /** A broken file trusts nobody. A missing file is not a problem: deleting it revokes all trust. */
  get problem(): string | undefined {
    const state = this.#file.current();
    return state.state === "broken" ? state.problem : undefined;
  }

  isTrusted(projectRoot: string, sha256: string): boolean {
    const state = this.#file.current();
    if (state.state !== "good") return false;
    return state.value.projects.some((one) => one.projectRoot === projectRoot && one.sha256 === sha256);
  }

  trust(projectRoot: string, sha256: string, now: number): Promise<void> {
    return this.#file.change((file) => {
      const others = file.projects.filter((one) => one.projectRoot !== projectRoot);
      const projects = [...others, { projectRoot, sha256, trustedAt: now }];
      return { value: { ...file, projects }, result: undefined };
    });
  }
}
