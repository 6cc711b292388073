/** The name of a program without its folder: a wrapper is a wrapper wherever it lies. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
