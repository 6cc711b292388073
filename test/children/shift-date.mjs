/** Shifts `Date.now` by the seconds in a file, read again each time: where there is no libfaketime. */
import { readFileSync } from "node:fs";

const now = Date.now;
Date.now = () => now() + Number(readFileSync(process.env.SHIFT_FILE, "utf8")) * 1000;
