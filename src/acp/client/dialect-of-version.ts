/** The dialect of a protocol version. */
import type { ClientDialect } from "../client-dialect.js";
import { v1ClientDialect } from "../v1/client-dialect.js";
import { v2ClientDialect } from "../v2/client-dialect.js";

export const dialectOfVersion = (version: 1 | 2): ClientDialect =>
  version === 1 ? v1ClientDialect : v2ClientDialect;
