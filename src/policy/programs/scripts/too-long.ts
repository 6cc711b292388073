/** Longer scripts are not typed on a command line, and a decision must not wait for one to be read. */
const MAX_SCRIPT_CHARACTERS = 4096;

export const TOO_LONG = `a script of more than ${MAX_SCRIPT_CHARACTERS} characters is not read`;

export const isTooLong = (script: string): boolean => script.length > MAX_SCRIPT_CHARACTERS;
