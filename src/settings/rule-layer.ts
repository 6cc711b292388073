/** The part of one rule file in the rules in force, by the state of the file and whether it may loosen anything. */
import type { Rule } from "../policy/index.js";
import type { FileState } from "./followed-file.js";
import type { Mode } from "../policy/modes.js";
import type { RuleFile } from "./rules-schema.js";
import { isTightening, strictRule } from "./strict-rule.js";

export type RuleLayer = {
  readonly rules: readonly Rule[];
  readonly ignored: readonly Rule[];
  readonly mode?: Mode;
  /** When false, its mode counts only if it is the stricter one. */
  readonly mayLoosen: boolean;
};

/** `isTrusted` refers to the current content of the file; earlier content is no longer trusted. */
export function ruleLayer(state: FileState<RuleFile>, path: string, isTrusted: boolean): RuleLayer {
  switch (state.state) {
    case "absent":
      return { rules: [], ignored: [], mayLoosen: false };
    case "good":
      return isTrusted ? whole(state.value) : tightening(state.value);
    case "gone":
      return tightening(state.lastGood);
    case "broken":
      if (!state.lastGood) return { rules: [strictRule(path)], ignored: [], mayLoosen: false };
      return isTrusted ? whole(state.lastGood) : tightening(state.lastGood);
    default:
      return state satisfies never;
  }
}

const whole = (file: RuleFile): RuleLayer => ({ ...file, ignored: [], mayLoosen: true });

function tightening(file: RuleFile): RuleLayer {
  const ignored = file.rules.filter((rule) => !isTightening(rule));
  return { ...file, rules: file.rules.filter(isTightening), ignored, mayLoosen: false };
}

/** Loosest first. */
const MODES: readonly Mode[] = ["allow-all", "accept-edits", "ask", "read-only"];

export function modeOf(layers: readonly RuleLayer[]): Mode {
  return layers.reduce<Mode>((mode, layer) => {
    const wished = layer.mode ?? mode;
    return layer.mayLoosen || MODES.indexOf(wished) > MODES.indexOf(mode) ? wished : mode;
  }, "ask");
}
