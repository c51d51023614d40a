/** What people call the browser that says so about itself. */
import { text } from './text.ts'

const BROWSERS = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
] as const
const SYSTEMS = [
  ['iOS', /iPhone|iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
] as const

export function browserOf(agent: string): string {
  const [browser] = BROWSERS.find(([, pattern]) => pattern.test(agent)) ?? []
  const [system] = SYSTEMS.find(([, pattern]) => pattern.test(agent)) ?? []
  if (browser === undefined) return agent === '' ? text.unknownBrowser : agent
  return system === undefined ? browser : text.browserOn(browser, system)
}
