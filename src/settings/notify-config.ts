/** How people are notified of questions: `notify` in `config.json`. */
import { z } from "zod";

export const notifyConfig = () =>
  z.strictObject({
    /** The address under which other devices reach the page; notifications link to it. */
    url: z.url({ protocol: /^https?$/ }).exactOptional(),
    /** How long a question waits for an answer before a notification is sent; 5 by default. */
    afterSeconds: z.number().min(0).max(3_600).exactOptional(),
    ntfy: z
      .strictObject({
        /** The address of the topic: `https://ntfy.sh/my-agents-8f3k`. */
        topic: z.url({ protocol: /^https?$/ }).refine((url) => new URL(url).pathname.length > 1, {
          message: "has no topic behind the host",
        }),
        token: z.string().min(1).exactOptional(),
      })
      .exactOptional(),
    webhook: z
      .strictObject({
        url: z.url({ protocol: /^https?$/ }),
        /** Signs each request: `whsec_` and Base64, or any text of at least 16 characters. */
        secret: z.string().min(16),
      })
      .exactOptional(),
    /** Hosts of further push services, besides those of the browsers. */
    pushHosts: z.array(z.string().min(1)).exactOptional(),
    /** How push services reach the sender: `mailto:me@example.com`. */
    contact: z
      .string()
      .regex(/^(?:mailto:|https:\/\/)/)
      .exactOptional(),
  });

export type NotifyConfig = z.output<ReturnType<typeof notifyConfig>>;
