/** Derives a readable browser name from the user agent, which names other browsers as well. */

type Named = readonly [RegExp, string]

/** The first match wins. Most browsers also call themselves Chrome or Safari. */
const BROWSERS: readonly Named[] = [
  [/\bEdgA?(iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]
const SYSTEMS: readonly Named[] = [
  [/\b(iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Returns a name such as `Firefox on Linux`. */
export function browserName(userAgent: string): string {
  const browser = firstOf(BROWSERS, userAgent) ?? 'Another program'
  const system = firstOf(SYSTEMS, userAgent)
  return system === undefined ? browser : `${browser} on ${system}`
}

function firstOf(list: readonly Named[], text: string): string | undefined {
  return list.find(([pattern]) => pattern.test(text))?.[1]
}
