/** The two lines that customers paste into an executor. `address` is the URL of the script's loader. */
export function startLines(key: string, address: string): string {
  return `script_key = "${key.replace(/["\\]/g, '\\$&')}"\nloadstring(game:HttpGet("${address}"))()`
}
