export default Promise.reject(new Error("not today"));
