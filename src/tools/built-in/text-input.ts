/** The parts of an input that the file tools share. */
import { z } from "zod";

export const pathInput = (what: string) =>
  z.string().regex(/\S/, "It holds no name").describe(`${what}, absolute or from the workspace folder.`);

/** Half a surrogate pair cannot be written to a file: what is shown would not be what is written. */
export const textInput = () =>
  z.string().refine((text) => !/\p{Surrogate}/u.test(text), {
    message: "It holds half a character (a lone surrogate), which no text file can have",
  });
