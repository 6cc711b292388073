import { expect, onTestFinished, test, vi } from "vitest";
import { openCall } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";
import { CallReporter } from "./call-reporter.js";
