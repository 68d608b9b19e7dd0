const MONTH =
  '(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?|dez(?:ember)?)';
const DATE = new RegExp(`\\b${MONTH}\\b|\\b\\d{4}\\b|\\b\\d{1,2}[./-]\\d{1,2}`, 'i');

/** Names a month, a year or a day in figures. */
export const hasDate = (text: string): boolean => DATE.test(text);

export const WEEKDAY =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$|^(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)$|^(?:January|February|March|April|May|June|July|August|September|October|November|December)$/;
