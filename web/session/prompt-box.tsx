/** The next prompt of a session, with its mode and model. */
import type { PromptBlock, SessionDetail, UndoRequest } from "toolgate/serve/client";
import { api } from "../api.js";
import { me } from "../live.js";
import { Note, Pick } from "../parts/controls.js";
import { useStore } from "../store.js";
import { sentence } from "../words.js";
import { sessionCommands, setMode, setModel } from "./prompt-commands.js";
import { PromptForm } from "./prompt-form.js";

type BoxProps = {
  readonly detail: SessionDetail;
  readonly onUndo: (wanted: Pick<UndoRequest, "turnId">) => void;
  readonly onSent: () => void;
};

export function PromptBox({ detail, onUndo, onSent }: BoxProps) {
  const { sessionId, canPrompt, whyNotPrompt, modeId, model, agent } = detail;
  const self = useStore(me, (known) => known);
  const { modes = [], models = [], agents = [], device } = self ?? {};
  const own = agents.find(({ name }) => name === agent);
  const isExternal = own?.type === "external";
  const send = async (prompt: readonly PromptBlock[]): Promise<void> => {
    await api.prompt(sessionId, { prompt: [...prompt] });
    onSent();
  };
  if (device?.role !== "all" || !canPrompt)
    return (
      <div class="prompt">
        <Note icon="seen">
          {device?.role === "all"
            ? sentence(whyNotPrompt ?? "this session takes no prompt here")
            : "This device may not start agents."}
        </Note>
      </div>
    );
  return (
    <div class="prompt">
      <PromptForm
        label={LABEL}
        {...sendingIn(detail)}
        onSend={send}
        takesImages={own?.takesImages ?? false}
        commands={isExternal ? [] : sessionCommands({ detail, modes, models, onUndo })}
        sessionId={sessionId}
        takesAnyCommand={isExternal}
      >
        {modes.length > 0 && !isExternal && (
          <Pick
            label="Mode"
            value={modeId ?? modes[0]?.id ?? ""}
            options={modes.map(({ id, name }) => [id, name] as const)}
            onPick={(mode) => void setMode(sessionId, mode)}
          />
        )}
        {!isExternal && (
          <ModelPick value={model} models={models} onPick={(one) => void setModel(sessionId, one)} />
        )}
      </PromptForm>
    </div>
  );
}

const LABEL = "Write the next prompt";

/** Sending in the middle of a turn: an open question is withdrawn, and a turn at work takes no prompt. */
function sendingIn({ state, openQuestions }: SessionDetail) {
  const dropped = openQuestions === 1 ? "the question" : `the ${openQuestions} questions`;
  if (state === "waiting")
    return {
      placeholder: `${LABEL}: sending drops ${dropped} and ends this turn`,
      sendWords: `Send, and drop ${dropped}`,
    };
  if (state === "running")
    return {
      placeholder: `${LABEL}: it can be sent when this turn is over`,
      whyNotNow: "Not sent yet: a turn is under way. Send when it is over, or stop it.",
    };
  return {};
}

type ModelProps = {
  readonly value: string | undefined;
  readonly models: readonly { readonly name: string; readonly note: string }[];
  readonly onPick: (model: string) => void;
};

/** A model that the list does not have is shown too: the server started with it. */
export function ModelPick({ value, models, onPick }: ModelProps) {
  if (models.length === 0) return value === undefined ? null : <span class="chip no-phone">{value}</span>;
  const names = models.map(({ name }) => [name, name] as const);
  const isListed = value !== undefined && models.some(({ name }) => name === value);
  const options = isListed ? names : [["", value ?? "Server's model"] as const, ...names];
  return (
    <Pick
      label="Model"
      value={isListed ? value : ""}
      options={options}
      onPick={(model) => model !== "" && onPick(model)}
    />
  );
}
