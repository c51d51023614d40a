/** Shows the progress of slow operations: an animated line on a terminal, plain lines elsewhere. */

import { spinner } from '@clack/prompts'
import type { Output, Sink } from './output.ts'

type Env = Readonly<Record<string, string | undefined>>
type Where = { readonly errors: Sink; readonly env: Env }

export type Progress = {
  say(text: string): void
  /** Ends the progress line, optionally with a final message. */
  end(text?: string): void
  /** Ends the progress line without a message, because the caller prints the error. */
  fail(): void
}

/** CI logs and dumb terminals can't show animations. */
function canMove(sink: Pick<Sink, 'isTTY'>, env: Env): boolean {
  return sink.isTTY && env.CI === undefined && env.TERM !== 'dumb'
}

/** Whether commands can prompt the user. */
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
  // Leaves raw mode. In raw mode, Ctrl-C is a key press rather than a signal, and the spinner would exit the
  // process before the command could clean up.
  if (process.stdin.isTTY) process.stdin.setRawMode(false)
  return {
    say: wheel.message,
    end: (done) => (done === undefined ? wheel.clear() : wheel.stop(done)),
    fail: () => wheel.clear(),
  }
}
