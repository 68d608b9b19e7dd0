/** The part of the DOM that reading needs (TypeScript's own DOM types are not loaded in a server). */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly childNodes: ArrayLike<DomNode>;
}
export interface DomElement extends DomNode {
  readonly localName: string;
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): ArrayLike<DomElement>;
  querySelector(selector: string): DomElement | null;
  remove(): void;
}
export interface DomDocument extends DomElement {
  readonly documentElement: DomElement | null;
  readonly body: DomElement | null;
  readonly title: string;
}
