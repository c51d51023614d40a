/** How many requests a server believes to be without an answer, as it tells whoever watches it. */
export async function runningRequests(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^scriptward_http_requests_running (\d+)$/m.exec(text)?.[1])
}
