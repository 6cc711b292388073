import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { InboxQuestion } from "../api/question-bodies.js";
import type { NumberedFrame } from "../live/live-hub.js";
import { QuestionNotices } from "./question-notices.js";
import { NotSent } from "./post-notice.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(send: () => Promise<void> = async () => undefined) {
  const [sent, errors]: [string[], unknown[]] = [[], []];
  let emit: (numbered: NumberedFrame) => void = () => undefined;
  const notices = new QuestionNotices({
    hub: {
      subscribe: (subscriber) => {
        emit = subscriber;
        return () => undefined;
      },
    },
    notifiers: () => [
      {
        name: "post",
        send: ({ url, title }) => {
          sent.push(`${title} ${url}`);
          return send();
        },
      },
    ],
    afterMs: 5_000,
    linkTo: (questionId) => `https://desk.example/q/${questionId}`,
    onError: (error) => errors.push(error),
  });
  type Kind = "asked" | "answered" | "withdrawn" | "aged";
  const change = (questionId: string, kind: Kind, isAnswerable = kind === "asked") => {
    // Only these fields are read.
    const question = { questionId, title: "Run it", isAnswerable } as InboxQuestion;
    emit({ number: 1, frame: { type: "question", change: kind, question, answerable: 1 } });
  };
  return { notices, sent, errors, change };
}

test("sends one notice for a question that stays open, and none for one that is answered in time", async () => {
  const { sent, change } = open();
  change("a", "asked");
  change("b", "asked");
  change("c", "asked");
  await vi.advanceTimersByTimeAsync(4_000);
  change("b", "answered");
  change("c", "aged");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual(["Run it https://desk.example/q/a"]);
});

test("sends no notice for a question of an earlier start that grows old", async () => {
  const { sent, change } = open();
  change("a", "aged", true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([]);
});

test("tries again when the service fails, until the question is settled", async () => {
  let failures = 0;
  const { sent, errors, change } = open(async () => {
    failures += 1;
    if (failures === 1 || failures > 2) throw new NotSent("push.example answered with status 503", 503);
  });
  change("a", "asked");
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent).toHaveLength(2);
  change("b", "asked");
  await vi.advanceTimersByTimeAsync(5_000);
  change("b", "answered");
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent).toHaveLength(3);
  change("c", "asked");
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent).toHaveLength(6);
  expect(errors.map(String)).toEqual([
    "Error: No notification was sent by post: push.example answered with status 503.",
  ]);
});

test("does not try again when the service refuses", async () => {
  const { sent, errors, change } = open(() =>
    Promise.reject(new NotSent("push.example answered with status 403", 403)),
  );
  change("a", "asked");
  await vi.advanceTimersByTimeAsync(60_000);
  expect([sent.length, errors.length]).toEqual([1, 1]);
});

test("sends at most twenty notices a minute, however many questions an agent asks", async () => {
  const { sent, change, notices } = open();
  for (let number = 0; number < 100; number += 1) change(`q${number}`, "asked");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toHaveLength(20);
  notices.close();
});
