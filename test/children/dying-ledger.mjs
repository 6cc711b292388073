// A ledger whose process kills itself with -9 before or after its n-th append or answer.
function die() {
  process.kill(process.pid, "SIGKILL");
}

export function dying(real, moment, number) {
  let appends = 0;
  return new Proxy(real, {
    get(target, name) {
      const member = target[name];
      if (typeof member !== "function") return member;
      if (name !== "append" && name !== "answer") return member.bind(target);
      return async (...args) => {
        appends += 1;
        const isTheOne = appends === number;
        if (moment === "before" && isTheOne) die();
        const result = await member.apply(target, args);
        if (moment === "after" && isTheOne) die();
        return result;
      };
    },
  });
}
