/**
 * The MCP servers that the user has approved, in `mcp-servers.json`. An approval binds a name, a program (its
 * fingerprint) and a project: the same name with another program, or the same program in another project, needs a new
 * approval. A file that cannot be read approves nothing.
 */
import { join } from "node:path";
import { z } from "zod";
import { canonicalRoot } from "./project-root.js";
import { StoredFile } from "./stored-file.js";

/** Without a `projectRoot` the approval applies to every project. */
export type ApprovedServer = {
  readonly name: string;
  readonly fingerprint: string;
  readonly projectRoot?: string;
  /** Milliseconds since 1970. */
  readonly approvedAt: number;
};

type ServerFile = { readonly version: 1; readonly servers: readonly ApprovedServer[] };

const serverFileSchema = (): z.ZodType<ServerFile> =>
  z.looseObject({
    version: z.literal(1),
    servers: z.array(
      z.looseObject({
        name: z.string(),
        fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
        projectRoot: z.string().exactOptional(),
        approvedAt: z.number(),
      }),
    ),
  });

export class ApprovedServers {
  readonly path: string;
  readonly #file: StoredFile<ServerFile>;

  constructor(folder: string) {
    this.path = join(folder, "mcp-servers.json");
    this.#file = new StoredFile(this.path, {
      schema: serverFileSchema,
      empty: { version: 1, servers: [] },
    });
  }

  /** The problem with the file, if any. A missing file is not one: deleting it revokes all approvals. */
  get problem(): string | undefined {
    const state = this.#file.current();
    return state.state === "broken" ? state.problem : undefined;
  }

  isApproved(name: string, fingerprint: string, projectRoot: string): boolean {
    const root = canonicalRoot(projectRoot);
    return this.list().some(
      (one) =>
        one.name === name &&
        one.fingerprint === fingerprint &&
        (one.projectRoot === undefined || one.projectRoot === root),
    );
  }

  /** Replaces the approval of this name in the project. Without a project root it applies to every project. */
  approve(server: ApprovedServer): Promise<void> {
    const { projectRoot } = server;
    const approved: ApprovedServer = {
      ...server,
      ...(projectRoot !== undefined && { projectRoot: canonicalRoot(projectRoot) }),
    };
    return this.#file.change((file) => {
      const others = file.servers.filter((one) => !isSamePlace(one, approved));
      return { value: { ...file, servers: [...others, approved] }, result: undefined };
    });
  }

  /**
   * Revokes the approvals of this name for that project and for every project; without a project, all approvals of this
   * name. False when there were none.
   */
  revoke(name: string, projectRoot?: string): Promise<boolean> {
    const root = projectRoot === undefined ? undefined : canonicalRoot(projectRoot);
    const isMeant = (one: ApprovedServer): boolean =>
      one.name === name && (root === undefined || one.projectRoot === undefined || one.projectRoot === root);
    return this.#file.change((file) => {
      const servers = file.servers.filter((one) => !isMeant(one));
      if (servers.length === file.servers.length) return { result: false };
      return { value: { ...file, servers }, result: true };
    });
  }

  /** Empty while the file cannot be read. */
  list(): readonly ApprovedServer[] {
    const state = this.#file.current();
    return state.state === "good" ? state.value.servers : [];
  }
}

function isSamePlace(one: ApprovedServer, other: ApprovedServer): boolean {
  return one.name === other.name && one.projectRoot === other.projectRoot;
}
