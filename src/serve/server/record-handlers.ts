/** History, statistics and rules. */
import { hash } from "node:crypto";
import { realpathSync } from "node:fs";
import { AapProblem } from "../../aap/api/aap-problem.js";
import type { Rule } from "../../policy/index.js";
import { historyQuery, statisticsQuery } from "../api/history-bodies.js";
import { folderQuery, newRule, ruleTest, suggestionQuery, trustRequest } from "../api/rule-bodies.js";
import { callHistory } from "../history/call-history.js";
import { callStatistics } from "../history/call-statistics.js";
import { addRule, revokeRule, suggestions, testRule, trustProject } from "../rules/change-rules.js";
import { ruleList } from "../rules/rule-list.js";
import { bodyOf, done, queryOf } from "./page-request.js";
import type { PageHandler, PageParts } from "./page-request.js";

type Name =
  | "history"
  | "statistics"
  | "rules"
  | "testRule"
  | "addRule"
  | "revokeRule"
  | "trustProject"
  | "suggestions";

const SUGGESTION_DAYS = 14;

/** The archive refuses a `before` that no page gave. */
function asBadRequest(error: unknown): never {
  throw error instanceof RangeError ? new AapProblem("BAD_REQUEST", error.message) : error;
}

export function recordHandlers({ context, index }: PageParts): Readonly<Record<Name, PageHandler>> {
  const folderOf = (given: string | undefined): string => {
    if (given === undefined) return context.folder;
    try {
      return realpathSync(given);
    } catch {
      throw new AapProblem("NOT_FOUND", `There is no folder ${given}. Nothing was done.`);
    }
  };
  return {
    history: async (request) => {
      const query = queryOf(request, historyQuery);
      return Response.json(await callHistory(context, index, query).catch(asBadRequest));
    },
    statistics: async (request) =>
      Response.json(await callStatistics(context, queryOf(request, statisticsQuery))),
    rules: async (request) =>
      Response.json(await ruleList(context, folderOf(queryOf(request, folderQuery).folder))),
    testRule: async (request) => {
      const test = await bodyOf(request, ruleTest);
      return Response.json(await testRule(context, { ...test, folder: folderOf(test.folder) }));
    },
    addRule: async (request) => {
      const body = await bodyOf(request, newRule);
      return Response.json(await addRule(context, body, folderOf(body.folder)), { status: 201 });
    },
    revokeRule: async ({ id }) => {
      await revokeRule(context, id);
      return done();
    },
    trustProject: async (request) => {
      const { folder: given, sha256 } = await bodyOf(request, trustRequest);
      const folder = folderOf(given);
      await trustProject(context, folder, sha256);
      return Response.json(await ruleList(context, folder));
    },
    suggestions: async (request) => {
      const { folder, days = SUGGESTION_DAYS } = queryOf(request, suggestionQuery);
      return Response.json(await suggestions(context, folderOf(folder), days, idOf));
    },
  };
}

/** The same as `toolgate rules suggest` shows. */
const idOf = (rule: Rule): string => hash("sha256", JSON.stringify(rule)).slice(0, 8);
