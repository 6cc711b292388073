import { expect, test } from "vitest";
import { withoutAddresses } from "./without-addresses.js";

test.each([
  [
    "openai-compatible/x could not be reached at http://10.1.2.3:8080/v1: Cannot connect to API: connect ECONNREFUSED 10.1.2.3:8080.",
    "openai-compatible/x could not be reached at [address]: Cannot connect to API: connect ECONNREFUSED [address].",
  ],
  ["getaddrinfo ENOTFOUND llm.corp.internal", "getaddrinfo ENOTFOUND [address]"],
  ["connect ECONNREFUSED ::1:4000", "connect ECONNREFUSED [address]"],
  ["is not known at https://llm.corp/v1 (404: Not Found).", "is not known at [address] (404: Not Found)."],
  ["read from localhost:11434 failed", "read from [address] failed"],
])("takes the address out of %j", (text, shown) => {
  expect(withoutAddresses(text)).toBe(shown);
});

test.each([
  "anthropic/claude-x failed (503: overloaded). Try again later.",
  "The model took more steps than the agent allows. The turn was stopped.",
  "openai-compatible/llama3.1:8b has reached its rate limit (429: 10 of 10 at 12:30). Try again later.",
])("leaves %j", (text) => {
  expect(withoutAddresses(text)).toBe(text);
});
