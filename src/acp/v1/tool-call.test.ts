import { expect, test } from "vitest";
import {
  TitleRequired,
  toolCall,
  toolCallFromUpdate,
  updateFromToolCall,
  updateToolCall,
  writeToolCall,
} from "./tool-call.js";

const text = { type: "content", content: { type: "text", text: "hello" } } as const;

test("fills in every default of a new call", () => {
  expect(toolCall("call_1", "Read a file")).toEqual({
    toolCallId: "call_1",
    title: "Read a file",
    kind: "other",
    status: "pending",
    content: [],
    locations: [],
  });
});

test("makes a call with all its fields", () => {
  const locations = [{ path: "/a", line: 1 }];
  const fields = {
    kind: "read",
    status: "completed",
    content: [text],
    locations,
    rawInput: 1,
    rawOutput: 2,
    _meta: { a: 1 },
  } as const;
  expect(toolCall("call_1", "Read", fields)).toEqual({ toolCallId: "call_1", title: "Read", ...fields });
});

test("defaults are left out when it is written", () => {
  expect(writeToolCall(toolCall("call_1", "Read a file"))).toEqual({
    toolCallId: "call_1",
    title: "Read a file",
  });
  expect(writeToolCall(toolCall("call_1", "Read", { kind: "read", content: [text] }))).toEqual({
    toolCallId: "call_1",
    title: "Read",
    kind: "read",
    content: [text],
  });
});

test("replaces collections by those of an update", () => {
  const call = toolCall("call_1", "Read", { content: [text, text], locations: [{ path: "/a" }] });
  expect(updateToolCall(call, { content: [text] }).content).toEqual([text]);
  expect(updateToolCall(call, { locations: [] }).locations).toEqual([]);
});

test("keeps the fields that an update leaves out or sets to null", () => {
  const call = toolCall("call_1", "Read", {
    kind: "read",
    status: "in_progress",
    content: [text],
    rawInput: { a: 1 },
  });
  expect(updateToolCall(call, {})).toEqual(call);
  expect(
    updateToolCall(call, {
      title: null,
      kind: null,
      status: null,
      content: null,
      locations: null,
      rawInput: null,
    }),
  ).toEqual(call);
});

test("replaces every field that an update has", () => {
  const update = {
    title: "Edit",
    name: "edit_file",
    kind: "edit",
    status: "failed",
    content: [text],
    locations: [{ path: "/b" }],
    rawInput: 1,
    rawOutput: 2,
  } as const;
  expect(updateToolCall(toolCall("call_1", "Read"), update)).toEqual({ toolCallId: "call_1", ...update });
});

test("makes a call from an update for an unknown call that has a title", () => {
  expect(
    toolCallFromUpdate({ toolCallId: "call_1", title: "Read", status: "in_progress", _meta: { a: 1 } }),
  ).toEqual({
    toolCallId: "call_1",
    title: "Read",
    kind: "other",
    status: "in_progress",
    content: [],
    locations: [],
    _meta: { a: 1 },
  });
});

test("reports the missing title of an update for an unknown call", () => {
  expect(() => toolCallFromUpdate({ toolCallId: "call_1" })).toThrow(TitleRequired);
  expect(() => toolCallFromUpdate({ toolCallId: "call_1", title: null })).toThrow(
    "title is required for a tool call",
  );
});

test("sends defaults too when a whole call is sent as an update", () => {
  expect(updateFromToolCall({ toolCallId: "call_1", title: "Read" })).toEqual({
    toolCallId: "call_1",
    title: "Read",
    kind: "other",
    status: "pending",
    content: [],
    locations: [],
  });
});
