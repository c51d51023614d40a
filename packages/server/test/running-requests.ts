/** Reads from the server's metrics how many requests are still unanswered. */
export async function runningRequests(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^scriptward_http_requests_running (\d+)$/m.exec(text)?.[1])
}
