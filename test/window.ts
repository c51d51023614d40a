/** Test setup that runs the key window of script hubs in Luau with a mock of Instances. */
import { readFileSync } from 'node:fs'
import { renderWindow, type WindowSettings, windowCore } from '../packages/client/src/bundle.ts'
import type { LibraryPeer } from '../packages/client/test/library-peer.ts'
import { linesOf } from '../packages/client/test/run-library.ts'
import type { Language } from '../packages/server/src/pages/language.ts'
import { windowWords } from '../packages/server/src/pages/window-words.ts'

const INSTANCES = readFileSync(new URL('../packages/client/preview/instances.lua', import.meta.url), 'utf8')

export type WindowRun = {
  readonly lines: string
  readonly before?: string
  readonly language?: Language
  readonly settings?: Partial<WindowSettings>
  readonly files?: Readonly<Record<string, string>>
  readonly viewport?: readonly [number, number]
}

export function windowOf(settings: Partial<WindowSettings> = {}, language: Language = 'en'): string {
  const words = windowWords(language)
  return renderWindow(windowCore(), { title: 'Garden', links: [], get_key: false, words, ...settings })
}

/** Runs a program that uses the mock, and returns the lines that it prints; see instances.lua. */
export function onScreen(peer: LibraryPeer, run: WindowRun): Promise<string[]> {
  const { lines, before = '', settings, language, files, viewport = [1280, 720] } = run
  peer.pages = { ...peer.pages, '/library/window': windowOf(settings, language) }
  return linesOf({
    host: 'luau',
    library: peer.library(),
    before: `local viewport = { ${viewport.join(', ')} }\n${INSTANCES}\n${before}`,
    lines,
    ...(files && { files }),
  })
}
