/**
 * The imports of a source file, in every form that TypeScript has.
 *
 * rooms.test.ts reads the sources with it and surface.test.ts the built files, so both mean the
 * same by "imports". A form missed here is a way around the room rule: an unparsable file throws,
 * and a target that is only known at run time is reported with no specifier.
 */
import { isBuiltin } from "node:module";
import { type Expression, parseSync, Visitor } from "oxc-parser";

/** Small pure packages that pure rooms and browser-safe doors may import. Each needs a decision record. */
export const PURE_PACKAGES: readonly string[] = ["unbash"];

export type SourceImport = {
  readonly form:
    | "import"
    | "import type"
    | "export from"
    | "export type from"
    | "import()"
    | "require()"
    | "type import()";
  /** Undefined when the target is not a string literal. */
  readonly specifier: string | undefined;
  readonly line: number;
};

/** Path and text of one file; the path, relative to the repository with "/", decides the language. */
export type SourceText = { readonly path: string; readonly text: string };

const known = new WeakMap<SourceText, readonly SourceImport[]>();

export function readImports(source: SourceText): readonly SourceImport[] {
  const imports = known.get(source) ?? parseImports(source);
  known.set(source, imports);
  return imports;
}

function parseImports({ path, text }: SourceText): readonly SourceImport[] {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be parsed, so its imports are unknown: ${error.message}`);

  const found: SourceImport[] = [];
  const add = (form: SourceImport["form"], target: Expression | undefined, start: number) => {
    const specifier =
      target?.type === "Literal" && typeof target.value === "string" ? target.value : undefined;
    found.push({ form, specifier, line: text.slice(0, start).split("\n").length });
  };
  new Visitor({
    ImportDeclaration: (node) =>
      add(node.importKind === "type" ? "import type" : "import", node.source, node.start),
    ExportNamedDeclaration: (node) => {
      if (node.source)
        add(node.exportKind === "type" ? "export type from" : "export from", node.source, node.start);
    },
    ExportAllDeclaration: (node) =>
      add(node.exportKind === "type" ? "export type from" : "export from", node.source, node.start),
    ImportExpression: (node) => add("import()", node.source, node.start),
    TSExternalModuleReference: (node) => add("require()", node.expression, node.start),
    TSImportType: (node) => add("type import()", node.source, node.start),
    // Not only a CommonJS habit: `const require = createRequire(import.meta.url)` loads from ES modules too.
    CallExpression: (node) => {
      if (node.callee.type !== "Identifier" || node.callee.name !== "require") return;
      const [target] = node.arguments;
      add("require()", target?.type === "SpreadElement" ? undefined : target, node.start);
    },
  }).visit(program);
  return found;
}

export type ImportTarget =
  | { readonly kind: "path" }
  | { readonly kind: "builtin" }
  | { readonly kind: "package"; readonly name: string };

export function importTarget(specifier: string): ImportTarget {
  if (/^(?:\.|\/|file:)/.test(specifier)) return { kind: "path" };
  // The prefix alone counts too: this Node may not know a builtin that a later one has.
  if (specifier.startsWith("node:") || isBuiltin(specifier)) return { kind: "builtin" };
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  return { kind: "package", name };
}
