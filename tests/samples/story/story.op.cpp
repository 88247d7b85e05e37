/* SPDX-License-Identifier: MIT */
/*
 * The layers of the language model as operators in Ascend C. A step takes up to ROWS tokens, which are
 * rows of its matrices; what is between the layers is float, what the cube unit multiplies is half.
 */
#include "kernel_operator.h"
#include "model.h"

using namespace AscendC;

/* A vector operator's memory: one queue in, one out, and room for what is computed between */
class Rows {
protected:
	__aicore__ inline void Init(GM_ADDR where, uint32_t inBytes, uint32_t outBytes, uint32_t workBytes)
	{
		auto progress = reinterpret_cast<__gm__ struct progress *>(where);

		position = progress->position;
		rows = progress->rows;
		pipe.InitBuffer(in, 2, inBytes);
		pipe.InitBuffer(out, 2, outBytes);
		pipe.InitBuffer(work, workBytes);
	}

	/* n elements from global memory */
	template <class T> __aicore__ inline LocalTensor<T> Load(const GlobalTensor<T> &from, uint32_t n)
	{
		LocalTensor<T> to = in.AllocTensor<T>();

		DataCopy(to, from, n);
		in.EnQue(to);
		return in.DeQue<T>();
	}

	template <class T> __aicore__ inline void Store(const GlobalTensor<T> &to, LocalTensor<T> &from, uint32_t n)
	{
		out.EnQue(from);
		from = out.DeQue<T>();
		DataCopy(to, from, n);
		out.FreeTensor(from);
	}

	/* The scalar unit reads what the vector unit has left in the first element */
	__aicore__ inline float First(const LocalTensor<float> &from)
	{
		event_t done = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_S));

		SetFlag<HardEvent::V_S>(done);
		WaitFlag<HardEvent::V_S>(done);
		return from.GetValue(0);
	}

	TPipe pipe;
	TQue<TPosition::VECIN, 2> in;
	TQue<TPosition::VECOUT, 2> out;
	TBuf<TPosition::VECCALC> work;
	uint32_t position, rows;
};

/* x = the embeddings of the step's tokens */
class Embed : Rows {
public:
	__aicore__ inline void Run(GM_ADDR tokens, GM_ADDR table, GM_ADDR x, GM_ADDR where)
	{
		GlobalTensor<uint32_t> tokensGm;
		GlobalTensor<half> tableGm;
		GlobalTensor<float> xGm;

		Init(where, WIDTH * sizeof(half), WIDTH * sizeof(float), 32);
		tokensGm.SetGlobalBuffer((__gm__ uint32_t *)tokens);
		tableGm.SetGlobalBuffer((__gm__ half *)table);
		xGm.SetGlobalBuffer((__gm__ float *)x);
		for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
			LocalTensor<half> found = Load(tableGm[tokensGm.GetValue(position + row) * WIDTH], WIDTH);
			LocalTensor<float> wide = out.AllocTensor<float>();

			Cast(wide, found, RoundMode::CAST_NONE, WIDTH);
			in.FreeTensor(found);
			Store(xGm[row * WIDTH], wide, WIDTH);
		}
	}
};

extern "C" __global__ __aicore__ void embed(GM_ADDR tokens, GM_ADDR table, GM_ADDR x, GM_ADDR where)
{
	Embed op;

	op.Run(tokens, table, x, where);
}

/* a = x / sqrt(mean(x * x) + EPSILON) * gain, row by row */
class Norm : Rows {
public:
	__aicore__ inline void Run(GM_ADDR x, GM_ADDR gain, GM_ADDR a, GM_ADDR where)
	{
		GlobalTensor<float> xGm, gainGm;
		GlobalTensor<half> aGm;

		Init(where, WIDTH * sizeof(float), WIDTH * sizeof(half), 2 * WIDTH * sizeof(float));
		xGm.SetGlobalBuffer((__gm__ float *)x);
		gainGm.SetGlobalBuffer((__gm__ float *)gain);
		aGm.SetGlobalBuffer((__gm__ half *)a);
		for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
			LocalTensor<float> y = work.Get<float>(), sum = y[WIDTH];
			LocalTensor<float> now = Load(xGm[row * WIDTH], WIDTH);

			Mul(y, now, now, WIDTH);
			PipeBarrier<PIPE_V>();
			ReduceSum<float>(sum, y, sum, WIDTH);
			Muls(y, now, 1.0f / __builtin_sqrtf(First(sum) / WIDTH + EPSILON), WIDTH);
			PipeBarrier<PIPE_V>();
			in.FreeTensor(now);
			now = Load(gainGm, WIDTH);
			Mul(y, y, now, WIDTH);
			PipeBarrier<PIPE_V>();
			in.FreeTensor(now);
			LocalTensor<half> narrow = out.AllocTensor<half>();
			Cast(narrow, y, RoundMode::CAST_RINT, WIDTH);
			Store(aGm[row * WIDTH], narrow, WIDTH);
		}
	}
};

extern "C" __global__ __aicore__ void norm(GM_ADDR x, GM_ADDR gain, GM_ADDR a, GM_ADDR where)
{
	Norm op;

	op.Run(x, gain, a, where);
}

/* y = a * w, or y += a * w; a is ROWS x k, w is k x n; a block computes strips of COLUMNS columns */
class Linear {
public:
	__aicore__ inline void Run(GM_ADDR a, GM_ADDR w, GM_ADDR y, uint32_t k, uint32_t n, bool add, GM_ADDR where)
	{
		auto progress = reinterpret_cast<__gm__ struct progress *>(where);

		this->k = k;
		this->n = n;
		rows = progress->rows;
		aGm.SetGlobalBuffer((__gm__ half *)a);
		wGm.SetGlobalBuffer((__gm__ half *)w);
		yGm.SetGlobalBuffer((__gm__ float *)y);
		pipe.InitBuffer(inA1, 1, ROWS * k * sizeof(half));
		pipe.InitBuffer(inA2, 1, ROWS * k * sizeof(half));
		pipe.InitBuffer(inB1, 2, COLUMNS * k * sizeof(half));
		pipe.InitBuffer(inB2, 2, COLUMNS * k * sizeof(half));
		pipe.InitBuffer(outCO1, 2, ROWS * COLUMNS * sizeof(float));
		LocalTensor<half> a2 = LoadA();

		if (add)
			SetAtomicAdd<float>();
		for (uint32_t column = GetBlockIdx() * COLUMNS; column < n; column += GetBlockNum() * COLUMNS)
			Strip(a2, column);
		SetAtomicNone();
		inA2.FreeTensor(a2);
	}

private:
	static constexpr uint32_t COLUMNS = 64;

	__aicore__ inline void ToNz(const LocalTensor<half> &to, const GlobalTensor<half> &from, uint32_t height, uint32_t width,
				    uint32_t pitch)
	{
		Nd2NzParams p;

		p.ndNum = 1;
		p.nValue = height;
		p.dValue = width;
		p.srcNdMatrixStride = 0;
		p.srcDValue = pitch;
		p.dstNzC0Stride = height;
		p.dstNzNStride = 1;
		p.dstNzMatrixStride = 0;
		DataCopy(to, from, p);
	}

	__aicore__ inline LocalTensor<half> LoadA()
	{
		LocalTensor<half> a1 = inA1.AllocTensor<half>(), a2 = inA2.AllocTensor<half>();
		LoadData2DParams p;

		ToNz(a1, aGm, ROWS, k, k);
		inA1.EnQue(a1);
		a1 = inA1.DeQue<half>();
		p.repeatTimes = k / 16;
		p.srcStride = 1;
		LoadData(a2, a1, p);
		inA2.EnQue(a2);
		inA1.FreeTensor(a1);
		return inA2.DeQue<half>();
	}

	__aicore__ inline void Strip(const LocalTensor<half> &a2, uint32_t column)
	{
		LocalTensor<half> b1 = inB1.AllocTensor<half>();
		ToNz(b1, wGm[column], k, COLUMNS, n);
		inB1.EnQue(b1);

		b1 = inB1.DeQue<half>();
		LocalTensor<half> b2 = inB2.AllocTensor<half>();
		LoadData2DParams load;
		load.repeatTimes = COLUMNS / 16;
		load.srcStride = k / 16;
		load.ifTranspose = true;
		for (uint32_t i = 0; i < k / 16; i++)
			LoadData(b2[i * 16 * COLUMNS], b1[i * 256], load);
		inB2.EnQue(b2);
		inB1.FreeTensor(b1);

		b2 = inB2.DeQue<half>();
		LocalTensor<float> c = outCO1.AllocTensor<float>();
		MmadParams multiply;
		multiply.m = ROWS;
		multiply.n = COLUMNS;
		multiply.k = k;
		Mmad(c, a2, b2, multiply);
		outCO1.EnQue<float>(c);
		inB2.FreeTensor(b2);

		c = outCO1.DeQue<float>();
		FixpipeParamsV220 store;
		store.nSize = COLUMNS;
		store.mSize = rows;
		store.srcStride = ROWS;
		store.dstStride = n;
		store.ndNum = 1;
		store.srcNdStride = 0;
		store.dstNdStride = 0;
		Fixpipe(yGm[column], c, store);
		outCO1.FreeTensor(c);
	}

	TPipe pipe;
	TQue<TPosition::A1, 1> inA1;
	TQue<TPosition::A2, 1> inA2;
	TQue<TPosition::B1, 2> inB1;
	TQue<TPosition::B2, 2> inB2;
	TQue<TPosition::CO1, 2> outCO1;
	GlobalTensor<half> aGm, wGm;
	GlobalTensor<float> yGm;
	uint32_t k, n, rows;
};

extern "C" __global__ __aicore__ void linear(GM_ADDR a, GM_ADDR w, GM_ADDR y, uint32_t k, uint32_t n, uint32_t add,
					     GM_ADDR where)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
	Linear op;

	op.Run(a, w, y, k, n, add, where);
}

/* Rotates queries and keys by their positions, and puts keys and values into the caches */
class Rotate : Rows {
public:
	__aicore__ inline void Run(GM_ADDR qkv, GM_ADDR angles, GM_ADDR keys, GM_ADDR values, GM_ADDR where)
	{
		GlobalTensor<float> qkvGm, anglesGm, keysGm, valuesGm;

		Init(where, (QKV + HEAD) * sizeof(float), QKV * sizeof(float), WIDTH / 2 * sizeof(float));
		qkvGm.SetGlobalBuffer((__gm__ float *)qkv);
		anglesGm.SetGlobalBuffer((__gm__ float *)angles);
		keysGm.SetGlobalBuffer((__gm__ float *)keys);
		valuesGm.SetGlobalBuffer((__gm__ float *)values);
		for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
			uint32_t at = position + row;
			LocalTensor<float> now = in.AllocTensor<float>(), turned = out.AllocTensor<float>();

			DataCopy(now, qkvGm[row * QKV], QKV);
			DataCopy(now[QKV], anglesGm[at * HEAD], HEAD);
			in.EnQue(now);
			now = in.DeQue<float>();
			Turn(turned, now, now[QKV]);
			Turn(turned[WIDTH], now[WIDTH], now[QKV]);
			/* scores of queries and keys are divided by the root of a head's size */
			Muls(turned, turned, 1.0f / __builtin_sqrtf(HEAD), WIDTH);
			Adds(turned[2 * WIDTH], now[2 * WIDTH], 0.0f, WIDTH);
			in.FreeTensor(now);
			out.EnQue(turned);
			turned = out.DeQue<float>();
			DataCopy(qkvGm[row * QKV], turned, WIDTH);
			DataCopy(keysGm[at * WIDTH], turned[WIDTH], WIDTH);
			DataCopy(valuesGm[at * WIDTH], turned[2 * WIDTH], WIDTH);
			out.FreeTensor(turned);
		}
	}

private:
	/*
	 * A head is a block of 32 bytes of first elements a, and one of second elements b:
	 * a' = a * cos - b * sin, b' = a * sin + b * cos
	 */
	__aicore__ inline void Turn(const LocalTensor<float> &to, const LocalTensor<float> &from, const LocalTensor<float> &angle)
	{
		const BinaryRepeatParams every(2, 2, 0, 8, 8, 0), other(1, 2, 0, 8, 8, 0), both(2, 2, 1, 8, 8, 8);
		const uint64_t mask = WIDTH / 2;
		LocalTensor<float> product = work.Get<float>();
		LocalTensor<float> cosine = angle, sine = angle[PAIRS];

		Mul(to, from, cosine, mask, 1, every);
		Mul(product, from[PAIRS], sine, mask, 1, other);
		PipeBarrier<PIPE_V>();
		Sub(to, to, product, mask, 1, both);
		Mul(to[PAIRS], from[PAIRS], cosine, mask, 1, every);
		PipeBarrier<PIPE_V>();
		Mul(product, from, sine, mask, 1, other);
		PipeBarrier<PIPE_V>();
		Add(to[PAIRS], to[PAIRS], product, mask, 1, both);
		PipeBarrier<PIPE_V>();
	}
};

extern "C" __global__ __aicore__ void rotate(GM_ADDR qkv, GM_ADDR angles, GM_ADDR keys, GM_ADDR values, GM_ADDR where)
{
	Rotate op;

	op.Run(qkv, angles, keys, values, where);
}

/* mixed = softmax(q * keys) * values, for each row and head; a block takes one of these after the other */
class Attention : Rows {
public:
	__aicore__ inline void Run(GM_ADDR qkv, GM_ADDR keys, GM_ADDR values, GM_ADDR mixed, GM_ADDR where)
	{
		const uint32_t matrix = CONTEXT * HEAD * sizeof(float);

		Init(where, matrix, HEAD * sizeof(half), matrix + 4 * CONTEXT * sizeof(float) + 8 * CONTEXT * sizeof(float));
		pipe.InitBuffer(query, 1, 64 * sizeof(float));
		qkvGm.SetGlobalBuffer((__gm__ float *)qkv);
		keysGm.SetGlobalBuffer((__gm__ float *)keys);
		valuesGm.SetGlobalBuffer((__gm__ float *)values);
		mixedGm.SetGlobalBuffer((__gm__ half *)mixed);
		product = work.Get<float>();
		weights = product[CONTEXT * HEAD];
		scores = weights[CONTEXT];
		parts = scores[CONTEXT]; /* two for each score */
		wide = parts[2 * CONTEXT];
		for (uint32_t i = GetBlockIdx(); i < rows * HEADS; i += GetBlockNum())
			Head(i / HEADS, i % HEADS);
	}

private:
	/* The head's columns of the first n rows of a cache; rows of zeros up to the next power of two */
	__aicore__ inline LocalTensor<float> Cached(const GlobalTensor<float> &from, uint32_t n)
	{
		LocalTensor<float> to = in.AllocTensor<float>();
		event_t zeros = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_MTE2));

		Duplicate(to, 0.0f, padded * HEAD);
		SetFlag<HardEvent::V_MTE2>(zeros);
		WaitFlag<HardEvent::V_MTE2>(zeros);
		DataCopy(to, from, DataCopyParams(n, HEAD / 8, (WIDTH - HEAD) / 8, 0));
		in.EnQue(to);
		return in.DeQue<float>();
	}

	/* weights = the softmax of the first n products of the query and a key */
	__aicore__ inline float Weigh(uint32_t row, uint32_t head, uint32_t n)
	{
		LocalTensor<float> q = query.AllocTensor<float>();

		/* a repeat of the vector unit has four keys: so has the tensor four times the query */
		for (uint32_t i = 0; i < 4; i++)
			DataCopy(q[i * HEAD], qkvGm[row * QKV + head * HEAD], HEAD);
		query.EnQue(q);
		q = query.DeQue<float>();
		LocalTensor<float> k = Cached(keysGm[head * HEAD], n);
		Mul(product, k, q, 64, padded / 4, BinaryRepeatParams(1, 1, 1, 8, 8, 0));
		PipeBarrier<PIPE_V>();
		in.FreeTensor(k);
		query.FreeTensor(q);
		BlockReduceSum(parts, product, padded / 4, 64, 1, 1, 8);
		PipeBarrier<PIPE_V>();
		PairReduceSum(scores, parts, padded / 32, 64, 1, 1, 8);
		PipeBarrier<PIPE_V>();
		ReduceMax<float>(product, scores, product, n);
		Adds(scores, scores, -First(product), n);
		Duplicate(weights, 0.0f, padded);
		PipeBarrier<PIPE_V>();
		Exp(weights, scores, n);
		PipeBarrier<PIPE_V>();
		ReduceSum<float>(product, weights, product, n);
		return First(product);
	}

	__aicore__ inline void Head(uint32_t row, uint32_t head)
	{
		uint32_t n = position + row + 1;

		for (padded = 32; padded < n;)
			padded *= 2;
		float sum = Weigh(row, head, n);
		LocalTensor<float> v = Cached(valuesGm[head * HEAD], n);
		LocalTensor<half> result = out.AllocTensor<half>();

		/* a weight fills a block of 32 bytes, which is half of a value; each half is multiplied by itself */
		Brcb(wide, weights, padded / 8, BrcbRepeatParams(1, 8));
		PipeBarrier<PIPE_V>();
		for (uint32_t half_ = 0; half_ < 2; half_++)
			Mul(product[half_ * padded * 8], v[half_ * 8], wide, 64, padded / 8, BinaryRepeatParams(1, 2, 1, 8, 16, 8));
		in.FreeTensor(v);
		for (uint32_t half_ = 0; half_ < 2; half_++) {
			LocalTensor<float> sums = product[half_ * padded * 8];

			for (uint32_t left = padded * 8 / 2; left >= 8; left /= 2) {
				PipeBarrier<PIPE_V>();
				Add(sums, sums, sums[left], left);
			}
			PipeBarrier<PIPE_V>();
			Muls(scores[half_ * 8], sums, 1.0f / sum, 8);
		}
		PipeBarrier<PIPE_V>();
		Cast(result, scores, RoundMode::CAST_RINT, HEAD);
		Store(mixedGm[row * WIDTH + head * HEAD], result, HEAD);
	}

	TQue<TPosition::VECIN, 1> query;
	GlobalTensor<float> qkvGm, keysGm, valuesGm;
	GlobalTensor<half> mixedGm;
	LocalTensor<float> product, weights, scores, parts, wide;
	uint32_t padded;
};

extern "C" __global__ __aicore__ void attention(GM_ADDR qkv, GM_ADDR keys, GM_ADDR values, GM_ADDR mixed, GM_ADDR where)
{
	Attention op;

	op.Run(qkv, keys, values, mixed, where);
}

/* hidden = gate / (1 + exp(-gate)) * up */
class SwiGlu : Rows {
public:
	__aicore__ inline void Run(GM_ADDR gateUp, GM_ADDR hidden, GM_ADDR where)
	{
		GlobalTensor<float> fromGm;
		GlobalTensor<half> toGm;

		Init(where, GATE_UP * sizeof(float), HIDDEN * sizeof(half), HIDDEN * sizeof(float));
		fromGm.SetGlobalBuffer((__gm__ float *)gateUp);
		toGm.SetGlobalBuffer((__gm__ half *)hidden);
		for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
			LocalTensor<float> gate = Load(fromGm[row * GATE_UP], GATE_UP), y = work.Get<float>();
			LocalTensor<half> narrow = out.AllocTensor<half>();

			Muls(y, gate, -1.0f, HIDDEN);
			PipeBarrier<PIPE_V>();
			Exp(y, y, HIDDEN);
			PipeBarrier<PIPE_V>();
			Adds(y, y, 1.0f, HIDDEN);
			PipeBarrier<PIPE_V>();
			Div(y, gate, y, HIDDEN);
			PipeBarrier<PIPE_V>();
			Mul(y, y, gate[HIDDEN], HIDDEN);
			PipeBarrier<PIPE_V>();
			in.FreeTensor(gate);
			Cast(narrow, y, RoundMode::CAST_RINT, HIDDEN);
			Store(toGm[row * HIDDEN], narrow, HIDDEN);
		}
	}
};

extern "C" __global__ __aicore__ void swiglu(GM_ADDR gateUp, GM_ADDR hidden, GM_ADDR where)
{
	SwiGlu op;

	op.Run(gateUp, hidden, where);
}

/* The next token: where logits * sharpness + noise is greatest; the next step takes this one token */
class Choose : Rows {
public:
	__aicore__ inline void Run(GM_ADDR logits, GM_ADDR noise, GM_ADDR tokens, float sharpness, GM_ADDR where)
	{
		auto progress = reinterpret_cast<__gm__ struct progress *>(where);
		GlobalTensor<float> logitsGm, noiseGm;
		GlobalTensor<uint32_t> tokensGm;

		Init(where, TOKENS * sizeof(float), 32, TOKENS * sizeof(float));
		logitsGm.SetGlobalBuffer((__gm__ float *)logits);
		noiseGm.SetGlobalBuffer((__gm__ float *)noise);
		tokensGm.SetGlobalBuffer((__gm__ uint32_t *)tokens);
		LocalTensor<float> now = Load(logitsGm[(rows - 1) * TOKENS], TOKENS), y = work.Get<float>();

		Muls(y, now, sharpness, TOKENS);
		PipeBarrier<PIPE_V>();
		in.FreeTensor(now);
		now = Load(noiseGm[(position + rows - 1) * TOKENS], TOKENS);
		Add(y, y, now, TOKENS);
		PipeBarrier<PIPE_V>();
		ReduceMax<float>(now, y, y, TOKENS, true);
		First(now);
		tokensGm.SetValue(position + rows, now.ReinterpretCast<uint32_t>().GetValue(1));
		in.FreeTensor(now);
		progress->position = position + rows;
		progress->rows = 1;
		DataCacheCleanAndInvalid<uint32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(tokensGm);
	}
};

extern "C" __global__ __aicore__ void choose(GM_ADDR logits, GM_ADDR noise, GM_ADDR tokens, float sharpness, GM_ADDR where)
{
	Choose op;

	op.Run(logits, noise, tokens, sharpness, where);
}
