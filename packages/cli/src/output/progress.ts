/** What long work says about itself: a line that moves on a terminal, plain lines elsewhere. */

import { spinner } from '@clack/prompts'
import type { Output, Sink } from './output.ts'

type Env = Readonly<Record<string, string | undefined>>
type Where = { readonly errors: Sink; readonly env: Env }

export type Progress = {
  say(text: string): void
  /** Ends it: what was done, or nothing when the result says so itself. */
  end(text?: string): void
  /** Ends it because of a fault, which is printed by itself. */
  fail(): void
}

/** Whether a line may move there: not in the log of CI, nor on a terminal that only prints. */
function canMove(sink: Pick<Sink, 'isTTY'>, env: Env): boolean {
  return sink.isTTY && env.CI === undefined && env.TERM !== 'dumb'
}

/** Whether somebody is there to answer. */
export function canAsk({
  stdin,
  stdout,
  out,
  env,
}: {
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: Sink
  readonly out: Output
  readonly env: Env
}): boolean {
  return stdin.isTTY === true && canMove(stdout, env) && !out.isJson
}

export function startProgress(text: string, out: Output, { errors, env }: Where): Progress {
  return canMove(errors, env) && !out.isJson ? moving(text, errors) : lines(text, out)
}

function lines(text: string, out: Output): Progress {
  out.note(text)
  return {
    say: out.note,
    end: (done) => void (done !== undefined && out.note(done)),
    fail: () => undefined,
  }
}

function moving(text: string, output: Sink): Progress {
  const wheel = spinner({ output, indicator: 'timer', withGuide: false })
  wheel.start(text)
  // In raw mode Ctrl-C would be a key and no signal, and end the process before it has tidied up.
  if (process.stdin.isTTY) process.stdin.setRawMode(false)
  return {
    say: wheel.message,
    end: (done) => (done === undefined ? wheel.clear() : wheel.stop(done)),
    fail: () => wheel.clear(),
  }
}
