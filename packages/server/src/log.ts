/** The format of log lines: JSON for machines, and text for people. `http/log.ts` logs requests. */
import { styleText } from 'node:util'
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

export type LogFormat = 'json' | 'text'

/** Levels are strings, and times are ISO 8601 in UTC. */
export function makeLog(level: string, destination: DestinationStream): Logger {
  const formatters = { level: (label: string) => ({ level: label }) }
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, formatters }, destination)
}

/**
 * Opens the log on stderr: text on a terminal and JSON elsewhere, unless the format is configured. Lines for
 * a file are collected and then written synchronously, because a write pending in another thread would be
 * lost when the process ends. On a terminal, each line is written immediately.
 */
export function openLog(level: string, given: LogFormat | undefined): Logger {
  const { isTTY } = process.stderr
  const collected = isTTY ? {} : { minLength: 4096, periodicFlush: 500 }
  const stderr = pino.destination({ dest: 2, sync: true, ...collected })
  process.once('exit', () => stderr.flushSync())
  if ((given ?? (isTTY ? 'text' : 'json')) === 'json') return makeLog(level, stderr)
  return makeLog(level, { write: (line) => void stderr.write(textOf(line)) })
}

type Line = Readonly<Record<string, unknown>> & { readonly level: string; readonly time: string }

const COLORS: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
  info: 'green',
}
const LEVEL_WIDTH = 5

/**
 * Formats a JSON line as `time LEVEL message name=value …`. Multi-line values, such as a stack trace, follow
 * below.
 */
export function textOf(line: string): string {
  const { time, level, msg, ...members } = JSON.parse(line) as Line
  const all = Object.entries(members)
  const isLong = ([, value]: readonly [string, unknown]) => typeof value === 'string' && value.includes('\n')
  const short = all.filter((one) => !isLong(one)).map(([name, value]) => `${name}=${shown(value)}`)
  const long = all.filter(isLong).map(([name, value]) => `${name}: ${value}`.replaceAll('\n', '\n    '))
  const words = [time, painted(level), printable(String(msg ?? '')), painted('debug', short.join(' '))]
  const head = words.filter((word) => word !== '').join(' ')
  return `${[head, ...long.map((text) => `    ${printable(text)}`)].join('\n')}\n`
}

function painted(level: string, text = level.toUpperCase().padEnd(LEVEL_WIDTH)): string {
  // Colors are used only on a terminal, and only if NO_COLOR is not set.
  return text === '' ? '' : styleText(COLORS[level] ?? 'dim', text, { stream: process.stderr })
}

/** A string without whitespace is not quoted. */
function shown(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[^\s"=]+$/.test(value)
  return printable(isPlain ? value : JSON.stringify(value))
}

/** Control characters from a request could otherwise control the terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, '\ufffd')
}
