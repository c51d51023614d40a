/** Adds a virtual authenticator with user verification to a page in Chromium. */
import type { CDPSession, Page } from 'playwright-core'

const OPTIONS = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

export async function addAuthenticator(
  page: Page,
): Promise<{ readonly device: CDPSession; readonly authenticatorId: string }> {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  return { device, ...(await device.send('WebAuthn.addVirtualAuthenticator', { options: OPTIONS })) }
}
