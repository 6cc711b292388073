/** Programs for pictures, sound and films, whose words may be files, addresses or names of devices. */
import type { Effects, Seen } from "../program.js";

export function mediaWords(words: readonly string[]): Effects {
  const odd = words.filter((word) => /^[a-z0-9+]+:/i.test(word) && !/^https?:/.test(word));
  return {
    reads: words.filter((word) => !/^[a-z0-9+]+:/i.test(word)),
    urls: words.filter((word) => /^https?:/.test(word)),
    doubts: odd.map((word) => `"${word}" is not a plain file`),
  };
}

const OPENS_FILES =
  /movie|frei0r|ladspa|lv2|sendcmd|zmq|subtitles|lut3d|\btee\b|concat$|textfile|fontfile|=@|\bfile/i;

export function ffmpegWords(words: readonly string[], seen: Seen): Effects {
  const filters = seen
    .values("-vf", "-af", "-filter:v", "-filter:a", "-filter_complex", "-lavfi", "-f")
    .filter((value) => OPENS_FILES.test(value));
  const inputs = mediaWords(seen.values("-i"));
  const outputs = mediaWords(words);
  return {
    reads: inputs.reads ?? [],
    writes: words,
    urls: inputs.urls ?? [],
    sends: outputs.urls ?? [],
    doubts: [
      ...filters.map((value) => `"${value}" can open other files`),
      ...(inputs.doubts ?? []),
      ...(outputs.doubts ?? []),
    ],
  };
}

const OTHER_TOOLS = /^(?:mogrify|montage|composite|compare|conjure|display|animate|import|stream|script)$/;

/** `magick` takes the name of another of its programs as its first word. */
export function imageMagickWords(words: readonly string[]): Effects {
  const [first = "", ...rest] = words;
  const plain = first === "convert" || first === "identify" ? rest : words;
  const odd = plain.filter(
    (word) => /^[|@]|^\w+:/.test(word) && !/^(?:xc|canvas|png|jpg|jpeg|gif|pdf):[\w.#-]*$/.test(word),
  );
  const isIdentify = first === "identify";
  return {
    reads: isIdentify ? plain : plain.slice(0, -1),
    writes: isIdentify ? [] : plain.slice(-1),
    doubts: [
      ...odd.map((word) => `"${word}" is not a plain file`),
      ...(OTHER_TOOLS.test(first) ? [`"${first}" is a program of its own, which is not known here`] : []),
    ],
  };
}
