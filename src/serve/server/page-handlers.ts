/** The handler of each endpoint of the page's API. */
import { accessHandlers } from "./access-handlers.js";
import type { SERVE_ENDPOINTS } from "../api/serve-endpoints.js";
import { notifyHandlers } from "./notify-handlers.js";
import type { PageHandler, PageParts } from "./page-request.js";
import { questionHandlers } from "./question-handlers.js";
import { recordHandlers } from "./record-handlers.js";
import { sessionHandlers } from "./session-handlers.js";

export function pageHandlers(parts: PageParts): Readonly<Record<keyof typeof SERVE_ENDPOINTS, PageHandler>> {
  return {
    ...accessHandlers(parts),
    ...sessionHandlers(parts),
    ...questionHandlers(parts),
    ...recordHandlers(parts),
    ...notifyHandlers(parts),
  };
}
