/** Notifications of new questions: in this browser, by push while the page is closed, and by the ways of the settings. */
import { useState } from "preact/hooks";
import type { Notifications as Setup } from "toolgate/serve/client";
import { api } from "../api.js";
import { me } from "../live.js";
import { act } from "../parts/act.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { wantsNotifications, wantNotifications } from "../wants-notifications.js";
import { canPush, turnPushOff, turnPushOn } from "./push.js";

export function Notifications() {
  const role = useStore(me, (self) => self?.device.role);
  const { data, reload } = useLoaded(() => api.notifications(), []);
  return (
    <section class="box">
      <h2>Notifications</h2>
      <p class="soft">
        For a question that nobody answers at once. A notification has the question's title, with secrets
        redacted, and a link that works on paired devices only.
      </p>
      <TabNotifications />
      {data && canPush() && <Push setup={data} onChanged={reload} />}
      {data && <Ways setup={data} mayTest={role === "all"} />}
    </section>
  );
}

function TabNotifications() {
  const [isOn, setOn] = useState(wantsNotifications());
  if (typeof Notification === "undefined") return null;
  const turn = async (): Promise<void> => {
    const isGranted = !isOn && (await Notification.requestPermission()) === "granted";
    wantNotifications(isGranted);
    setOn(isGranted);
  };
  return (
    <Row
      name="While this tab is in the background"
      about="At once, and by this browser alone. Only the kind of call is named."
      isOn={isOn}
      onTurn={() => void turn()}
    />
  );
}

function Push({ setup, onChanged }: { readonly setup: Setup; readonly onChanged: () => void }) {
  const { isOn, publicKey } = setup.push;
  const turn = async (): Promise<{ readonly text: string } | undefined> => {
    if (isOn) await turnPushOff();
    else if (!(await turnPushOn(publicKey)))
      return { text: "This browser does not allow notifications here." };
    onChanged();
    return undefined;
  };
  return (
    <Row
      name="While the page is closed"
      about={`After ${setup.afterMs / 1_000} seconds without an answer, by the push service of this browser's maker, which cannot read the message.`}
      isOn={isOn}
      onTurn={() => void act(turn, "Nothing was changed.")}
    />
  );
}

function Ways({ setup, mayTest }: { readonly setup: Setup; readonly mayTest: boolean }) {
  return (
    <div class="setting">
      <div>
        <div>{setup.ways.length === 0 ? "By ntfy or a webhook" : setup.ways.join(", ")}</div>
        <div class="faint xs">
          {setup.ways.length === 0 ? (
            <>
              None is set up: add <code>notify</code> to <code>config.json</code>, and start the server again.
            </>
          ) : (
            "From config.json."
          )}
        </div>
      </div>
      {mayTest && (
        <button type="button" class="btn" onClick={() => void act(sendTest, "Nothing was sent.")}>
          Send a test
        </button>
      )}
    </div>
  );
}

async function sendTest(): Promise<{ readonly text: string }> {
  const { results } = await api.testNotifications();
  if (results.length === 0) return { text: "No way is set up, so nothing was sent." };
  const failed = results.filter(({ problem }) => problem !== undefined);
  const words = failed.map(({ name, problem }) => `${name}: ${problem}`).join("; ");
  return { text: failed.length === 0 ? `Sent by ${results.map(({ name }) => name).join(", ")}.` : words };
}

type RowProps = {
  readonly name: string;
  readonly about: string;
  readonly isOn: boolean;
  readonly onTurn: () => void;
};

function Row({ name, about, isOn, onTurn }: RowProps) {
  const action = isOn ? "Turn off" : "Turn on";
  return (
    <div class="setting">
      <div>
        <div>{name}</div>
        <div class="faint xs">{about}</div>
      </div>
      <button type="button" class="btn" aria-label={`${action}: ${name}`} onClick={onTurn}>
        {action}
      </button>
    </div>
  );
}
