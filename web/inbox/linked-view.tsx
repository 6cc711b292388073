/** One question that was opened by a link with a key: to be answered once, as it is, without a paired device. */
import { useEffect, useRef, useState } from "preact/hooks";
import { visibleText } from "toolgate/call";
import type { QuestionDetail } from "toolgate/serve/client";
import { api, errorText, isUnreachable } from "../api.js";
import { useNow } from "../clock.js";
import { Empty, Loading, Note } from "../parts/controls.js";
import { Folder } from "../parts/folder.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { useLoaded } from "../use-loaded.js";
import { longTime, sentence } from "../words.js";
import { useGuard } from "./guard.js";
import { noteLinkUsed, type QuestionLink } from "./link-key.js";
import { asker } from "./question-list.js";
import { AgentWords } from "./question-view.js";
import { useReadEnd } from "./read-end.js";
import { What } from "./what.js";
import { Why } from "./why.js";

export function LinkedView({ link }: { readonly link: QuestionLink }) {
  const { questionId, key } = link;
  const read = () => api.linkedQuestion(questionId, key);
  const { data: question, error, reload } = useLoaded(read, [questionId, key]);
  const [end, setEnd] = useState<End>();
  useEffect(() => {
    if (error !== undefined && !isUnreachable(error)) noteLinkUsed();
  }, [error]);
  if (end !== undefined)
    return (
      <main class="gate">
        <Empty icon={end.icon} title={visibleText(end.words)}>
          <p>This link is used up. You can close this page.</p>
        </Empty>
      </main>
    );
  if (!question && isUnreachable(error))
    return (
      <main class="gate">
        <Empty icon="unknown" title="The server does not answer">
          <p>Nothing was changed, and the link still works.</p>
          <p>
            <button type="button" class="btn" onClick={reload}>
              Try again
            </button>
          </p>
        </Empty>
      </main>
    );
  if (error !== undefined)
    return (
      <main class="gate">
        <Empty icon="withdrawn" title="This link does not work any more">
          <p>It was used, its time is over, or the question is answered. Nothing was changed.</p>
        </Empty>
      </main>
    );
  if (!question)
    return (
      <main class="gate">
        <Loading what="the question" />
      </main>
    );
  const finish = (how: End): void => {
    noteLinkUsed();
    setEnd(how);
  };
  return <LinkedQuestion question={question} linkKey={key} onEnd={finish} />;
}

/** A tick stands beside a yes alone. */
type End = { readonly words: string; readonly icon: "done" | "refused" | "failed" };

type LinkedProps = {
  readonly question: QuestionDetail;
  readonly linkKey: string;
  readonly onEnd: (end: End) => void;
};

function LinkedQuestion({ question, linkKey, onEnd }: LinkedProps) {
  const { questionId, intentHash, isAnswerable, folder, title, askedAt } = question;
  const [reason, setReason] = useState("");
  const [isLost, setLost] = useState(false);
  const now = useNow(isAnswerable);
  const shown = `${questionId} ${intentHash}`;
  const what = useRef<HTMLDivElement>(null);
  const { isSeen, end, readOn } = useReadEnd(what, shown);
  const guard = useGuard(`${shown} ${isSeen}`);
  const answer = async (reply: "once" | "no"): Promise<void> => {
    if (!guard.takes()) return;
    setLost(false);
    const because = reply === "no" && reason.trim() !== "" ? { reason: reason.trim() } : {};
    try {
      const { words } = await api.answerLinked(questionId, linkKey, { reply, intentHash, ...because });
      onEnd({ words: sentence(words), icon: reply === "no" ? "refused" : "done" });
    } catch (error) {
      if (isUnreachable(error)) setLost(true);
      else onEnd({ words: `Your answer did not count. ${errorText(error)}`, icon: "failed" });
    }
  };
  return (
    <main class="page linked">
      <section class="q-view" aria-label="Question">
        <header class="q-head">
          <p class="faint xs">
            <Visible text={asker(question)} isOneLine />
            {isAnswerable && ` · waiting ${longTime(now - askedAt)}`}
          </p>
          <h1>
            <Visible text={title} isOneLine />
          </h1>
          <AgentWords {...question} />
        </header>
        <div class="q-body">
          <div class="q-what" ref={what} tabIndex={0} role="region" aria-label="What will happen and why">
            <Folder.Provider value={folder}>
              <div class="sec">
                <What question={question} />
                <div ref={end} />
              </div>
              <Why question={question} isLinked />
            </Folder.Provider>
          </div>
          <aside class="q-answer more" aria-label="Your answer">
            {isAnswerable ? (
              <>
                <div class="opts">
                  <h2>Your answer</h2>
                  <p class="soft">This link answers the question once. Nothing is remembered.</p>
                  {isLost && (
                    <Note icon="exit" tone="waiting">
                      <b>The server does not answer.</b> Your answer was perhaps not taken; give it again.
                    </Note>
                  )}
                  <label class="stack">
                    <span class="med">If not, why (the agent reads this)</span>
                    <textarea
                      class="text"
                      maxLength={2_000}
                      value={reason}
                      onInput={(event) => setReason(event.currentTarget.value)}
                    />
                  </label>
                </div>
                <div class="acts" data-inert={guard.isInert ? "" : undefined}>
                  <button
                    class="btn main"
                    type="button"
                    disabled={guard.isInert}
                    onClick={() => (isSeen ? void answer("once") : readOn())}
                  >
                    {isSeen ? "Allow once" : "Read on"}
                  </button>
                  <div class="pair away">
                    <button
                      class="btn"
                      type="button"
                      disabled={guard.isInert}
                      onClick={() => void answer("no")}
                    >
                      <Icon name="refused" /> No
                    </button>
                  </div>
                </div>
              </>
            ) : (
              <p class="soft">This question takes no answer any more. Nothing was changed.</p>
            )}
          </aside>
        </div>
      </section>
    </main>
  );
}
