import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Clicks a button that copies a text, and returns the text. Without the wait, the clipboard might
 * be read before it is written, and still contain what an earlier test copied.
 */
export async function copied(page: Page, button: Locator): Promise<string> {
  const read = () => page.evaluate<string>('navigator.clipboard.readText()')
  await page.evaluate("navigator.clipboard.writeText('')")
  await button.click()
  await expect.poll(read).not.toBe('')
  return read()
}
