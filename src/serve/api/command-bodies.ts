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

export const commandQuery = z.strictObject({
  session: z.string().describe("Only those of this session.").optional(),
});
export type CommandQuery = z.output<typeof commandQuery>;

/** The output of a command that goes on after its call, as far as it is kept: its beginning and its end. */
export const commandOutput = z.object({
  status: z.enum(["running", "ended", "failed"]),
  exitCode: z.number().nullable().exactOptional(),
  signal: z.string().nullable().exactOptional(),
  error: z.string().exactOptional(),
  text: z.string().describe("With its control sequences."),
  leftOut: z.number().describe("Characters in the middle that are not kept."),
});
export type CommandOutput = z.output<typeof commandOutput>;

export const stopRequest = z.strictObject({ toolCallId: z.string().min(1) });
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
