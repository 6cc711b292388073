/** A schema that describes a value of another room's type: the type is that room's, the schema lists what readers need. */
import type { z } from "zod";

/** Bodies are written by this server from values of that type, and a body may have more fields than its schema lists. */
export const typed = <Value>(schema: z.ZodType): z.ZodType<Value> => schema as z.ZodType<Value>;
