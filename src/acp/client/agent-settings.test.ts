import { expect, test } from "vitest";
import { AgentSettings } from "./agent-settings.js";

const modes = {
  currentModeId: "a",
  availableModes: [{ id: "a" }, { id: "b", name: "B" }, { name: "no id" }, 7],
};
const option = (id: string, category: string, currentValue = "x") => ({
  id,
  category,
  type: "select",
  currentValue,
  options: [{ value: "x" }, { value: "y", name: "Why" }],
});

test("takes a config option instead of the older mode of the same category", () => {
  const settings = new AgentSettings();
  settings.take({ modes });
  expect(settings.ofCategory("mode")?.options).toEqual([
    { value: "a", name: "a" },
    { value: "b", name: "B" },
  ]);
  expect(settings.request("mode", "b", 1)).toEqual({ method: "session/set_mode", params: { modeId: "b" } });
  settings.take({ configOptions: [option("how", "mode")] });
  expect(settings.all.map(({ id }) => id)).toEqual(["how"]);
  const params = { configId: "how", value: "y" };
  expect(settings.request("how", "y", 1)).toEqual({ method: "session/set_config_option", params });
});

test("follows the agent's updates, and leaves out what it cannot read", () => {
  const settings = new AgentSettings();
  settings.take({
    modes,
    configOptions: [option("effort", "thought_level"), { id: "flag", type: "boolean" }, null],
  });
  settings.see({ sessionUpdate: "current_mode_update", currentModeId: "b" });
  settings.see({
    sessionUpdate: "config_option_update",
    configOptions: [option("effort", "thought_level", "y")],
  });
  settings.see({
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: "tidy" }, { name: "two words" }, { name: "../x" }, {}],
  });
  settings.see("nonsense");
  expect(settings.all.map(({ id, current }) => [id, current])).toEqual([
    ["mode", "b"],
    ["effort", "y"],
  ]);
  expect(settings.commands).toEqual([{ name: "tidy", description: "" }]);
});
