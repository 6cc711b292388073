/** Stops the turn of a session and says what became of it. */
import { api } from "../api.js";
import { act } from "../parts/act.js";
import { sentence } from "../words.js";

export const stopTurn = (sessionId: string): Promise<void> =>
  act(async () => {
    const { cancelled, why } = await api.cancel(sessionId);
    return cancelled
      ? { text: "The turn is being stopped.", icon: "cancelled" }
      : { text: `Nothing was stopped. ${sentence(why ?? "")}`, icon: "failed" };
  }, "Nothing was stopped.");
