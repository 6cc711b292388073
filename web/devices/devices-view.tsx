/** Paired devices: which may do what, and a code for another one. */
import { useState } from "preact/hooks";
import { visibleText } from "toolgate/call";
import type { Device, DeviceRole } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { useNow } from "../clock.js";
import { live, me } from "../live.js";
import { act } from "../parts/act.js";
import { Empty, Loading } from "../parts/controls.js";
import { Visible } from "../parts/visible.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { ago, counted } from "../words.js";
import { Notifications } from "./notifications.js";
import { PairDevice } from "./pair-device.js";
import { RevokeOwn } from "./revoke-own.js";

export function DevicesView() {
  const own = useStore(me, (self) => self?.device);
  return (
    <div class="scroll">
      <div class="bar">
        <h1>Devices</h1>
        <span class="faint xs">only paired devices see this page</span>
      </div>
      <div class="wrapper">
        <div class="halves even">
          {own && (own.role === "all" ? <AllDevices /> : <OwnDevice own={own} />)}
        </div>
        <Notifications />
      </div>
    </div>
  );
}

function AllDevices() {
  const connections = useStore(live, (state) => state.connections);
  const { data, error, reload } = useLoaded(() => api.devices(), [connections]);
  return (
    <>
      <PairDevice devices={data?.devices ?? []} onLook={reload} />
      <section class="box">
        <h2>Paired</h2>
        {!data &&
          (error === undefined ? (
            <Loading what="the devices" />
          ) : (
            <Empty icon="unknown" title={errorText(error)} />
          ))}
        {data?.devices.map((device) => (
          <DeviceRow key={device.deviceId} device={device} onRevoked={reload} />
        ))}
      </section>
    </>
  );
}

/** The server refuses the list to a device of such a role. */
function OwnDevice({ own }: { readonly own: Device }) {
  return (
    <section class="box">
      <h2>This device</h2>
      <DeviceRow device={own} />
      <p class="soft">
        You see only this one here: a device that may do all lists the others, pairs and revokes them.
      </p>
    </section>
  );
}

const ROLE_WORDS: Readonly<Record<DeviceRole, string>> = {
  watch: "watches",
  answer: "answers",
  all: "may do all",
};

type RowProps = {
  readonly device: Device;
  /** Missing where nothing may be revoked. */
  readonly onRevoked?: () => void;
};

function DeviceRow({ device, onRevoked }: RowProps) {
  const { deviceId, name, role, seenAt, answers, isThis } = device;
  const [isAsking, setAsking] = useState(false);
  const now = useNow();
  const revoke = async (): Promise<{ readonly text: string }> => {
    await api.revokeDevice(deviceId);
    if (isThis) me.set(null);
    else onRevoked?.();
    return { text: `${name} is revoked. That device sees nothing from now on.` };
  };
  const start = (): void => void act(revoke, "Nothing was revoked.");
  return (
    <div class="row">
      <span class="grow">
        <span class="med">
          <Visible text={name} isOneLine />, {ROLE_WORDS[role]}
        </span>
        {isThis && <span class="faint"> (this one)</span>}
        <br />
        <span class="faint xs">
          seen {isThis ? "now" : ago(seenAt, now)}
          {answers > 0 ? `, ${counted(answers, "answer")}` : ""}
        </span>
      </span>
      {onRevoked && (
        <button
          type="button"
          class="btn small"
          onClick={() => (isThis ? setAsking(true) : start())}
          aria-label={`Revoke ${visibleText(name)}`}
        >
          Revoke
        </button>
      )}
      {isAsking && (
        <RevokeOwn
          onRevoke={() => {
            setAsking(false);
            start();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
