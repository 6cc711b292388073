/** The commands of agents that run now, and their end. */
import { z } from "zod";

export const commands = z.object({
  commands: z.array(
    z.object({
      sessionId: z.string(),
      toolCallId: z.string(),
      title: z.string(),
      /** Its call has ended. */
      isBackground: z.boolean(),
      pid: z.number(),
      startedAt: z.number(),
      cwd: z.string().exactOptional(),
    }),
  ),
});
export type Commands = z.output<typeof commands>;

export const stopRequest = z.object({ toolCallId: z.string().min(1) });
export type StopRequest = z.input<typeof stopRequest>;

export const stopped = z.object({
  processes: z.array(
    z.object({
      pid: z.number(),
      startedAt: z.number(),
      outcome: z.enum(["ended", "was-gone", "out-of-reach"]),
    }),
  ),
});
export type Stopped = z.output<typeof stopped>;
