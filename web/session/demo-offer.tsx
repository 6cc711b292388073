/** The sample agent: explained where nothing is recorded yet, and a small button (`isShort`) elsewhere. */
import { useState } from "preact/hooks";
import { api, errorText } from "../api.js";
import { me } from "../live.js";
import { Icon } from "../parts/icon.js";
import { showToast } from "../parts/toast.js";
import { goTo, sessionPath } from "../route.js";
import { useStore } from "../store.js";

export function DemoOffer({ isShort = false }: { readonly isShort?: boolean }) {
  const self = useStore(me, (value) => value);
  const [isStarting, setStarting] = useState(false);
  if (!self?.hasDemo || self.device.role !== "all") return null;
  const start = async (): Promise<void> => {
    setStarting(true);
    try {
      const { sessionId } = await api.startDemo();
      goTo(sessionPath(sessionId));
    } catch (error) {
      showToast(`The demo did not start. ${errorText(error)}`, "failed");
      setStarting(false);
    }
  };
  return (
    <>
      {!isShort && (
        <p>
          The demo needs no key: a scripted agent fixes a failing test in a new sample project. The agent asks
          before it changes a file.
        </p>
      )}
      <button
        type="button"
        class={isShort ? "btn" : "btn main"}
        disabled={isStarting}
        onClick={() => void start()}
      >
        <Icon name="play" />
        {isStarting ? "Starting the demo …" : "Start the demo"}
      </button>
    </>
  );
}
