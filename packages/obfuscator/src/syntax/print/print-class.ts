import type { Binding, Class, Expression, FunctionExpression, SymbolId } from '../ast.ts'

/** The printer methods that are needed to print a class. */
type Writer = {
  put(text: string): void
  symbol(symbol: SymbolId): void
  expression(node: Expression): void
  export(binding: Binding): void
  functionBody(node: FunctionExpression): void
}

export function printClass(node: Class, writer: Writer): void {
  writer.export(node.binding)
  writer.put(node.isOpen ? 'open class' : 'class')
  writer.symbol(node.binding.symbol)
  if (node.parent) writer.put('extends')
  if (node.parent) writer.expression(node.parent)
  for (const field of node.fields) writer.put(`public ${field}`)
  for (const { key, value } of node.methods) {
    writer.put('function')
    if (key.kind === 'StringLiteral') writer.put(key.value)
    if (value.kind === 'FunctionExpression') writer.functionBody(value)
  }
  writer.put('end')
}
