/** Declarations that keep text from the eyes of a page's reader. */
const HIDDEN =
  /(^|[;\s{])(display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(px|pt|em|rem|%)?\s*(;|$|!)|opacity\s*:\s*0(\.0+)?\s*(;|$|!))/i;

export const isHiddenStyle = (declarations: string): boolean => HIDDEN.test(`${declarations};`);

/** Selectors of top-level rules that hide; those within `@media` depend on a screen. */
export function hiddenSelectors(css: string): string[] {
  const top = css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '');
  return [...top.matchAll(/([^{}]+)\{([^{}]*)\}/g)]
    .filter((rule) => isHiddenStyle(rule[2] ?? ''))
    .map((rule) => (rule[1] ?? '').trim())
    .filter((selector) => !selector.includes(':'))
    .slice(0, 200);
}
