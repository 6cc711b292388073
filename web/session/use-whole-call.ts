/** All that is recorded of a call, while its card is open: read again as the call changes, and whole at its end. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallDetail } from "toolgate/serve/client";
import type { CallCard } from "toolgate/view";
import { api, errorText } from "../api.js";
import { showToast } from "../parts/toast.js";

/** A command that prints without end changes its card many times a second. */
const READ_MS = 1_000;

export type OpenCall = {
  /** Undefined while it is closed, and until it was read. */
  readonly detail: CallDetail | undefined;
  readonly open: () => void;
  readonly close: () => void;
};

export function useWholeCall(sessionId: string, card: CallCard): OpenCall {
  const { toolCallId, times } = card;
  const isOver = times.ended !== undefined;
  const [isOpen, setOpen] = useState(false);
  const [isReading, setReading] = useState(false);
  const [detail, setDetail] = useState<CallDetail>();
  /** The last read, and the card at that time; without a card it has failed. */
  const last = useRef<{ readonly card?: CallCard; readonly at: number } | undefined>(undefined);
  useEffect(() => {
    if (!isOpen || isReading || last.current?.card === card) return undefined;
    const read = async (): Promise<void> => {
      setReading(true);
      try {
        const found = await api.call(sessionId, toolCallId);
        // A change since the request is another read.
        last.current = { card, at: performance.now() };
        setDetail(found);
      } catch (error) {
        // A part of the output must not stay in place of the whole: that is tried again.
        last.current = { at: performance.now() };
        if (!detail) setOpen(false);
        if (!detail) showToast(errorText(error), "failed");
      } finally {
        setReading(false);
      }
    };
    const before = last.current;
    const canWait = before !== undefined && !(isOver && before.card);
    const waitMs = canWait ? before.at + READ_MS - performance.now() : 0;
    const timer = setTimeout(() => void read(), Math.max(0, waitMs));
    return () => clearTimeout(timer);
  }, [sessionId, toolCallId, card, isOver, isOpen, isReading]);
  return {
    detail: isOpen ? detail : undefined,
    open: () => setOpen(true),
    close: () => {
      last.current = undefined;
      setOpen(false);
      setDetail(undefined);
    },
  };
}
