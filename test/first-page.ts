/**
 * Opens the dashboard for the first time, and records what the browser downloads until the list of users is
 * shown.
 */
import type { BrowserContext, CDPSession } from 'playwright-core'

export type Line = { readonly latencyMs: number; readonly bytesPerSecond: number }

type Download = {
  /** Path and query of the URL. */
  readonly path: string
  /** Downloaded size including headers; undefined until the download has finished. */
  bytes: number | undefined
}

export type FirstPage = {
  readonly downloads: readonly Download[]
  /** Time from the start of the navigation until the first row is visible. */
  readonly rowsMs: number
}

/**
 * `context` has an empty cache; `address` is the URL of a project's user list. Downloads continue after the
 * rows are visible.
 */
export async function openFirstPage(
  context: BrowserContext,
  address: string,
  line?: Line,
): Promise<FirstPage> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const downloads = await recordDownloads(session)
  if (line) await slowDown(session, line)
  await page.addInitScript(noteRows)
  await page.goto(address)
  await page.getByRole('row').nth(1).waitFor()
  return { downloads, rowsMs: await page.evaluate<number>('rowsAt') }
}

/** The page records the time itself, because locators poll only twice a second. */
const noteRows = `
  globalThis.rowsAt = 0
  requestAnimationFrame(function look() {
    if (document.querySelector('tbody tr td')?.checkVisibility()) rowsAt = performance.now()
    else requestAnimationFrame(look)
  })`

async function recordDownloads(session: CDPSession): Promise<readonly Download[]> {
  const found = new Map<string, Download>()
  const all: Download[] = []
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { pathname, search } = new URL(request.url)
    const download: Download = { path: pathname + search, bytes: undefined }
    found.set(requestId, download)
    all.push(download)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const download = found.get(requestId)
    if (download) download.bytes = encodedDataLength
  })
  await session.send('Network.enable')
  return all
}

async function slowDown(session: CDPSession, { latencyMs, bytesPerSecond }: Line): Promise<void> {
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
}
