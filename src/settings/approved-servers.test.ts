import { readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ApprovedServers } from "./approved-servers.js";
import { newFolder, removeFolders, write } from "./settings.samples.js";

afterAll(removeFolders);

const A = "a".repeat(64);
const B = "b".repeat(64);

test("approves that name, fingerprint and project, in every process", async () => {
  const [folder, project, other] = [newFolder(), newFolder(), newFolder()];
  const store = new ApprovedServers(folder);
  expect(store.isApproved("files", A, project)).toBe(false);
  await store.approve({ name: "files", fingerprint: A, projectRoot: project, approvedAt: 1 });

  const later = new ApprovedServers(folder);
  expect(later.isApproved("files", A, project)).toBe(true);
  expect(later.isApproved("files", B, project)).toBe(false);
  expect(later.isApproved("Files", A, project)).toBe(false);
  expect(later.isApproved("files", A, other)).toBe(false);
  expect(later.isApproved("files", A, join(project, "inside"))).toBe(false);
  expect(statSync(store.path).mode & 0o777).toBe(0o600);
});

test("approves in all projects when no project is named", async () => {
  const store = new ApprovedServers(newFolder());
  await store.approve({ name: "files", fingerprint: A, approvedAt: 1 });
  expect(store.isApproved("files", A, "/one")).toBe(true);
  expect(store.isApproved("files", A, "/two")).toBe(true);
  expect(store.isApproved("files", B, "/two")).toBe(false);
});

test("identifies a project by its real folder, not by a link", async () => {
  const [project, elsewhere, links] = [newFolder(), newFolder(), newFolder()];
  const link = join(links, "link");
  symlinkSync(project, link);
  const store = new ApprovedServers(newFolder());
  await store.approve({ name: "files", fingerprint: A, projectRoot: link, approvedAt: 1 });
  expect(store.isApproved("files", A, project)).toBe(true);
  rmSync(link);
  symlinkSync(elsewhere, link);
  expect(store.isApproved("files", A, link)).toBe(false);
});

test("approving a changed server replaces the old approval: the old program must be approved again", async () => {
  const store = new ApprovedServers(newFolder());
  await store.approve({ name: "files", fingerprint: A, projectRoot: "/ws", approvedAt: 1 });
  await store.approve({ name: "files", fingerprint: B, projectRoot: "/ws", approvedAt: 2 });
  expect(store.isApproved("files", A, "/ws")).toBe(false);
  expect(store.list()).toEqual([{ name: "files", fingerprint: B, projectRoot: "/ws", approvedAt: 2 }]);
});

test("revokes an approval in one project although all projects were approved", async () => {
  const store = new ApprovedServers(newFolder());
  await store.approve({ name: "files", fingerprint: A, approvedAt: 1 });
  await store.approve({ name: "files", fingerprint: A, projectRoot: "/ws", approvedAt: 1 });
  await store.approve({ name: "files", fingerprint: A, projectRoot: "/other", approvedAt: 1 });
  await store.approve({ name: "mail", fingerprint: A, projectRoot: "/ws", approvedAt: 1 });
  expect(await store.revoke("files", "/ws")).toBe(true);
  expect(await store.revoke("files", "/ws")).toBe(false);
  expect(store.isApproved("files", A, "/ws")).toBe(false);
  expect(store.isApproved("files", A, "/other")).toBe(true);
  expect(store.isApproved("mail", A, "/ws")).toBe(true);
});

test.each([
  ["is no JSON", `{ "version": 1,\n "servers": [ {] }`],
  ["is of a newer version", { version: 2, servers: [] }],
  [
    "has a fingerprint that is none",
    { version: 1, servers: [{ name: "files", fingerprint: "*", approvedAt: 1 }] },
  ],
])("approves nothing from a file that %s, and does not overwrite it", async (_what, content) => {
  const store = new ApprovedServers(newFolder());
  await store.approve({ name: "files", fingerprint: A, approvedAt: 1 });
  write(store.path, content);
  const before = readFileSync(store.path, "utf8");
  expect(store.isApproved("files", A, "/ws")).toBe(false);
  expect(store.list()).toEqual([]);
  expect(store.problem).toContain("mcp-servers.json:");
  await expect(store.approve({ name: "files", fingerprint: A, approvedAt: 1 })).rejects.toMatchObject({
    code: "FILE_BROKEN",
  });
  expect(readFileSync(store.path, "utf8")).toBe(before);
});
