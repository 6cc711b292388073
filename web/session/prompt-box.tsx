/** The next prompt: text, images, the mode. */
import { useRef, useState } from "preact/hooks";
import type { PromptBlock, SessionDetail } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { live, me } from "../live.js";
import { Note, Pick } from "../parts/controls.js";
import { Icon } from "../parts/icon.js";
import { showToast } from "../parts/toast.js";
import { useStore } from "../store.js";
import { sentence } from "../words.js";
import { readImages, type PromptImage } from "./prompt-images.js";

export function PromptBox({ detail }: { readonly detail: SessionDetail }) {
  const { sessionId, canPrompt, whyNotPrompt, modeId, model } = detail;
  const modes = useStore(me, (self) => self?.modes) ?? [];
  const role = useStore(me, (self) => self?.device.role);
  const send = async (prompt: readonly PromptBlock[]): Promise<void> => {
    await api.prompt(sessionId, { prompt: [...prompt] });
  };
  if (role !== "all" || !canPrompt)
    return (
      <div class="prompt">
        <Note icon="seen">
          {role === "all"
            ? sentence(whyNotPrompt ?? "this session takes no prompt here")
            : "This device may not start agents."}
        </Note>
      </div>
    );
  const setMode = (mode: string): void => {
    api.changeSession(sessionId, { modeId: mode }).then(
      () => showToast(`Mode: ${mode}. It holds from the next call.`),
      (error: unknown) => showToast(`The mode is as before. ${errorText(error)}`, "failed"),
    );
  };
  return (
    <div class="prompt">
      <PromptForm placeholder="Write the next prompt" onSend={send} takesImages={useTakesImages(detail)}>
        {modes.length > 0 && (
          <Pick
            label="Mode"
            value={modeId ?? modes[0]?.id ?? ""}
            options={modes.map(({ id, name }) => [id, name] as const)}
            onPick={setMode}
          />
        )}
        {model !== undefined && <span class="chip no-phone">{model}</span>}
      </PromptForm>
    </div>
  );
}

const useTakesImages = ({ agent }: SessionDetail): boolean =>
  useStore(me, (self) => self?.agents.find(({ name }) => name === agent)?.takesImages ?? false);

type FormProps = {
  readonly placeholder: string;
  readonly onSend: (prompt: readonly PromptBlock[]) => Promise<void>;
  readonly takesImages: boolean;
  readonly children?: preact.ComponentChildren;
};

export function PromptForm({ placeholder, onSend, takesImages, children }: FormProps) {
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly PromptImage[]>([]);
  const [isSending, setSending] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const isLost = useStore(live, ({ connection }) => connection.type === "lost");
  const canSend = !isSending && !isLost && (text.trim() !== "" || images.length > 0);
  const send = async (): Promise<void> => {
    if (!canSend) return;
    setSending(true);
    try {
      const blocks: PromptBlock[] = images.map(({ mimeType, data }) => ({ type: "image", mimeType, data }));
      if (text.trim() !== "") blocks.push({ type: "text", text });
      await onSend(blocks);
      setText("");
      setImages([]);
    } catch (error) {
      showToast(`Nothing was sent. ${errorText(error)}`, "failed");
    } finally {
      setSending(false);
    }
  };
  const add = (list: FileList | null | undefined): void => {
    if (takesImages && list)
      void readImages(list).then((read) => setImages((before) => [...before, ...read]));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        aria-label={placeholder}
        placeholder={placeholder}
        rows={1}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => add(event.clipboardData?.files)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.stopPropagation();
          void send();
        }}
      />
      <div class="row wrap">
        {images.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            class="chip on"
            aria-label={`Remove the image ${name}`}
            onClick={() => setImages(images.toSpliced(index, 1))}
          >
            <Icon name="image" />
            {name} <Icon name="close" />
          </button>
        ))}
        {takesImages && (
          <>
            <button type="button" class="chip" onClick={() => files.current?.click()}>
              <Icon name="image" /> Image
            </button>
            <input
              ref={files}
              type="file"
              accept="image/png,image/jpeg,image/gif,image/webp"
              multiple
              hidden
              onChange={(event) => add(event.currentTarget.files)}
            />
          </>
        )}
        <span class="end row">
          {children}
          <button class="btn main" disabled={!canSend}>
            Send <kbd>Ctrl ⏎</kbd>
          </button>
        </span>
      </div>
    </form>
  );
}
