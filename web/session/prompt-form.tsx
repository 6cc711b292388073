/** A prompt as it is written: text with completion, images that are chosen, pasted or dropped. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PromptBlock } from "toolgate/serve/client";
import { errorText } from "../api.js";
import { live } from "../live.js";
import { Icon } from "../parts/icon.js";
import { showToast } from "../parts/toast.js";
import { useStore } from "../store.js";
import { CompletionList, COMPLETION_ID, optionId } from "./completion-list.js";
import { commandIn, type PromptCommand } from "./prompt-commands.js";
import { completed, type Choice } from "./prompt-completion.js";
import { draftOf, keepDraft } from "./prompt-draft.js";
import { readImages, type PromptImage } from "./read-images.js";
import { useCompletion } from "./use-completion.js";

type FormProps = {
  readonly label: string;
  /** The label, unless given. */
  readonly placeholder?: string;
  /** The words on the button: they say all that sending does. */
  readonly sendWords?: string;
  /** Why a prompt cannot be sent now. Its draft stays, and commands run. */
  readonly whyNotNow?: string | undefined;
  readonly onSend: (prompt: readonly PromptBlock[]) => Promise<void>;
  readonly takesImages: boolean;
  readonly commands?: readonly PromptCommand[];
  /** Files are completed from its folder. */
  readonly sessionId?: string;
  /** An external agent has commands of its own. */
  readonly takesAnyCommand?: boolean;
  readonly children?: ComponentChildren;
};

export function PromptForm({
  label,
  placeholder = label,
  sendWords = "Send",
  whyNotNow,
  onSend,
  takesImages,
  commands = [],
  sessionId,
  takesAnyCommand = false,
  children,
}: FormProps) {
  const place = sessionId ?? "new";
  const [{ text, cursor }, setInput] = useState(() => ({ text: draftOf(place), cursor: 0 }));
  const write = (next: { readonly text: string; readonly cursor: number }): void => {
    keepDraft(place, next.text);
    setInput(next);
  };
  const { images, latest, setImages, reading } = useImages();
  const [isSending, setSending] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const moved = useRef<number | undefined>(undefined);
  const isLost = useStore(live, ({ connection }) => connection.type === "lost");
  const isWritten = text.trim() !== "" || images.length > 0;
  const isCommand = images.length === 0 && commandIn(text, commands)?.command !== undefined;
  const isBlocked = whyNotNow !== undefined && !isCommand;
  const canSend = isWritten && !isSending && !isLost && !isBlocked;
  const { completion, mark, close } = useCompletion({ text, cursor, commands, sessionId });
  useLayoutEffect(() => {
    if (moved.current !== undefined) area.current?.setSelectionRange(moved.current, moved.current);
    moved.current = undefined;
  }, [text]);
  const take = (choice: Choice | undefined): void => {
    if (!completion || !choice) return;
    const next = completed(text, completion.wanted, choice);
    moved.current = next.cursor;
    write(next);
    area.current?.focus();
  };
  const run = async (): Promise<boolean> => {
    const found = latest().length === 0 ? commandIn(text, commands) : undefined;
    if (!found || (!found.command && takesAnyCommand)) return false;
    if (!found.command) throw new Error(`There is no command /${found.name}; / lists them.`);
    if (found.command.values && found.words === "") throw new Error(`/${found.name} needs a name behind it.`);
    await found.command.run(found.words);
    return true;
  };
  const send = async (): Promise<void> => {
    if (!canSend) return;
    setSending(true);
    try {
      // An image that was attached belongs to the prompt, also when it is still being read.
      await reading.current;
      if (!(await run())) {
        const blocks: PromptBlock[] = latest().map(({ mimeType, data }) => ({
          type: "image",
          mimeType,
          data,
        }));
        if (text.trim() !== "") blocks.push({ type: "text", text });
        await onSend(blocks);
      }
      // Words that were written meanwhile are the next prompt.
      if (draftOf(place) === text) keepDraft(place, "");
      setInput((now) => (now.text === text ? { text: "", cursor: 0 } : now));
      setImages([]);
    } catch (error) {
      showToast(`Nothing was sent. ${errorText(error)}`, "failed");
    } finally {
      setSending(false);
    }
  };
  const attach = async (files: readonly File[]): Promise<void> => {
    const read = takesImages ? await readImages(files) : [];
    setImages([...latest(), ...read]);
    if (read.length < files.length) showToast(takesImages ? NOT_ATTACHED : NO_IMAGES, "failed");
  };
  const add = (list: FileList | null | undefined): void => {
    // The list empties itself when the event is over.
    const files = [...(list ?? [])];
    if (files.length > 0) reading.current = Promise.all([reading.current, attach(files)]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = keyAction(event, completion !== undefined);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    if (act === "send") void send();
    else if (act === "take") take(completion?.choices[completion.marked]);
    else if (act === "close") close();
    else mark(act === "next" ? 1 : -1);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        add(event.dataTransfer?.files);
      }}
    >
      {completion && <CompletionList {...completion} onTake={take} />}
      <textarea
        ref={area}
        aria-label={label}
        placeholder={placeholder}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={completion && COMPLETION_ID}
        aria-activedescendant={completion && optionId(completion.marked)}
        rows={1}
        value={text}
        onInput={({ currentTarget: { value, selectionStart } }) =>
          write({ text: value, cursor: selectionStart })
        }
        onSelect={({ currentTarget: { value, selectionStart } }) =>
          setInput({ text: value, cursor: selectionStart })
        }
        onPaste={(event) => add(event.clipboardData?.files)}
        onKeyDown={onKeyDown}
      />
      <div class="row wrap">
        <Images images={images} onRemove={(index) => setImages(images.toSpliced(index, 1))} />
        {takesImages && <ImageInput onFiles={(files) => add(files)} />}
        {isWritten && isBlocked && (
          <span class="faint xs" role="status">
            {whyNotNow}
          </span>
        )}
        <span class="end row wrap">
          {children}
          <button class="btn main" disabled={!canSend}>
            {isCommand ? "Run" : sendWords} <kbd>Ctrl ⏎</kbd>
          </button>
        </span>
      </div>
    </form>
  );
}

/** The images of a prompt: as they are shown, and as they are by now. */
function useImages() {
  const [images, setShown] = useState<readonly PromptImage[]>([]);
  const held = useRef(images);
  const reading = useRef<Promise<unknown>>(Promise.resolve());
  const setImages = (next: readonly PromptImage[]): void => {
    held.current = next;
    setShown(next);
  };
  return { images, latest: () => held.current, setImages, reading };
}

const NOT_ATTACHED = "Not attached: only PNG, JPEG, GIF and WebP up to 5 MB.";
const NO_IMAGES = "Not attached: this agent takes no images.";

type KeyAction = "send" | "take" | "close" | "next" | "previous";

function keyAction({ key, ctrlKey, metaKey, shiftKey, isComposing }: KeyboardEvent, isOpen: boolean) {
  if (isComposing) return undefined;
  if (key === "Enter" && (ctrlKey || metaKey)) return "send" satisfies KeyAction;
  if (!isOpen) return undefined;
  const actions: Readonly<Record<string, KeyAction>> = {
    Enter: "take",
    Tab: "take",
    Escape: "close",
    ArrowDown: "next",
    ArrowUp: "previous",
  };
  return shiftKey ? undefined : actions[key];
}

type ImagesProps = { readonly images: readonly PromptImage[]; readonly onRemove: (index: number) => void };

function Images({ images, onRemove }: ImagesProps) {
  return (
    <>
      {images.map(({ name, mimeType, data }, index) => (
        <button
          key={index}
          type="button"
          class="chip on"
          aria-label={`Remove the image ${name}`}
          onClick={() => onRemove(index)}
        >
          <img class="thumb" alt="" src={`data:${mimeType};base64,${data}`} />
          {name} <Icon name="close" />
        </button>
      ))}
    </>
  );
}

function ImageInput({ onFiles }: { readonly onFiles: (files: FileList | null) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="chip" onClick={() => input.current?.click()}>
        <Icon name="image" /> Image
      </button>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        hidden
        onChange={(event) => onFiles(event.currentTarget.files)}
      />
    </>
  );
}
