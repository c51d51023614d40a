/**
 * Opens windows of a real browser for the tests in a file. One Chromium instance serves all test files of a
 * process. Windows opened in a test close at the end of that test, and windows opened in `beforeAll` close
 * after the last test.
 */
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { startBrowser } from './browser.ts'
import { endOrderly } from './end-of-process.ts'

export type Windows = Pick<Browser, 'newContext' | 'newPage'>

let browserOfProcess: Promise<Browser> | undefined

function findBrowser(): Promise<Browser> {
  browserOfProcess ??= start()
  return browserOfProcess
}

async function start(): Promise<Browser> {
  endOrderly()
  const browser = await startBrowser()
  browser.on('disconnected', () => {
    browserOfProcess = undefined
  })
  return browser
}

/** Contexts share no data with each other. */
export function openWindows(): Windows {
  const opened: BrowserContext[] = []
  let kept = 0
  const close = (contexts: BrowserContext[]) => Promise.all(contexts.map((context) => context.close()))
  beforeEach(() => {
    kept = opened.length
  })
  afterEach(() => close(opened.splice(kept)))
  afterAll(() => close(opened.splice(0)))
  const newContext: Windows['newContext'] = async (options) => {
    const context = await (await findBrowser()).newContext(options)
    opened.push(context)
    return context
  }
  return { newContext, newPage: async (options) => (await newContext(options)).newPage() }
}
